"""What `jurat review` leaves alone in a checkout, by the attributes of the base's folders."""

from __future__ import annotations

from tests.support.checkout import Checkout
from tests.support.command import Run

MD5 = "import hashlib\n\n\ndef name(data):\n    return hashlib.md5(data).hexdigest()\n"


def test_attributes_of_a_folder_count_as_the_base_has_them(run: Run, checkout: Checkout) -> None:
    checkout.write({"made/.gitattributes": "* linguist-generated\nown.py -linguist-generated\n"})
    checkout.write({"README.md": "A shop.\n"})
    checkout.commit("begin")
    checkout.write({"mine/.gitattributes": "* linguist-generated\n"})
    names = ("made/in/a.py", "made/own.py", "mine/a.py")
    checkout.write(dict.fromkeys(names, MD5))
    said = run("review", "--repo", checkout.folder, "--base", "HEAD").out
    left = said.partition("Left alone by rules about code")[2]
    assert [name for name in names if name in left] == ["made/in/a.py"]
    assert "made/.gitattributes calls it generated" in left
