"""Questions to what a library of learning made: an encoder, a detector, a recommender.

A library of nothing but models answers by one, whatever is called on what it made, but for what
makes the object ready and keeps house with it. One that also prepares and measures data answers by
one where the call is called as answers are.
"""

from __future__ import annotations

import re

_OF_MODELS = re.compile(
    r"^(?:sentence_transformers|speechbrain|resemblyzer|pyannote|insightface|facenet_pytorch|mtcnn"
    r"|retinaface|face_recognition|deepface|dlib|mediapipe|ultralytics|fer|hsemotion\w*|feat|deepface"
    r"|@?vladmandic/(?:face-api|human)|@vladmandic/(?:face-api|human)|face-api\.js|@mediapipe/[\w-]+"
    r"|@tensorflow-models/[\w-]+|ml5|implicit|lightfm|surprise|whisper|faster_whisper|easyocr|paddleocr"
    r"|pytesseract|tesseract\.js|fasttext|gensim|flair|stanza|prophet|setfit|keybert|bertopic|clip|open_clip"
    r"|TTS|bark|langchain_huggingface|langchain_community\.(?:embeddings|vectorstores)"
    r"|langchain_(?:chroma|pinecone|postgres|qdrant)|llama_index|vaderSentiment|textblob|gpt4all|ctransformers"
    r"|llama_cpp|node-llama-cpp|@xenova/transformers|@huggingface/transformers|hume|tflite_runtime|openvino"
    r"|implicit|recbole|torchreid|ppocr|brain\.js)(?=[./]|$)"
)
"""Libraries that have models and little else."""
_OF_LEARNING = re.compile(
    r"^(?:sklearn|torch|torchvision|torchaudio|transformers|tensorflow|keras|jax|flax|fastai|xgboost"
    r"|lightgbm|catboost|spacy|cv2|onnxruntime\w*|onnxruntime-node|@tensorflow/[\w-]+|natural|ml-[\w-]+"
    r"|statsmodels|river|pmdarima|annoy|hnswlib|faiss|h2o|mlx|timm)(?=[./]|$)"
)
"""Libraries that have all that goes with models, too."""
_KEEPS_HOUSE = re.compile(
    r"^(?:fit\w*|partial_fit|train\w*|load\w*|save\w*|from_\w+|fromPretrained|to|cuda|cpu|half|eval|init\w*"
    r"|set\w*|get_\w+|add\w*|build\w*|compile|close|dispose|free|release|prepare|download\w*|upload\w*|delete\w*"
    r"|register\w*|unregister\w*|export\w*|import\w*|summary|plot\w*|write\w*|dump\w*|persist|update\w*|warm\w*"
    r"|monkeyPatch|ready|freeze|push\w*|tokeni[sz]e\w*|length|parameters|state_dict|items|keys|values|copy"
    r"|create\w*|make\w*|configure\w*|enable\w*|disable\w*|start|stop|terminate|test\w*|evaluate\w*|score|metrics"
    r"|then|catch|finally|on|off)$"
)
"""What makes a model ready, teaches it or tells of it."""
_ANSWERS = re.compile(
    r"^(?:predict\w*|classify\w*|infer\w*|embed\w*|detect\w*|recogni[sz]e\w*|verify\w*|represent|analy[sz]e\w*"
    r"|compare_\w+|face_\w+|generate\w*|recommend\w*|estimate\w*|forecast\w*|transcribe\w*|synthesi[sz]e\w*|encode"
    r"|translate\w*|segment\w*|similarity\w*|\w+_similarity|kneighbors|nearest\w*|image_to_\w+|readtext|forward"
    r"|identify\w*|rank\w*|search|knn_query|get_nns_by_\w+|getClassifications|score_samples|decision_function)$"
)
"""What is said of asking, and of nothing that comes before it."""


def is_asked_of_learner(name: str) -> bool:
    """Whether what has a foreign name asks a model that a library of learning made, or has."""
    library = _OF_MODELS.match(name)
    general = None if library else _OF_LEARNING.match(name)
    found = library or general
    if found is None or name.endswith("()"):
        return False
    rest = name[found.end() :]
    last = rest.rpartition(".")[2]
    if not last[:1].islower() or _KEEPS_HOUSE.match(last):
        return False
    made = rest.count("()")
    if library and made == 1 and rest.endswith(f"().{last}"):
        return True
    return made <= 1 and rest.endswith((f"().{last}", f".{last}")) and bool(_ANSWERS.match(last))
