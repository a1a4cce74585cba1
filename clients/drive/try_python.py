"""Does with a recipe what the lines on its input say, for drive/program.ts."""
import importlib.util
import json
import os
import sys

spec = importlib.util.spec_from_file_location("recipe", sys.argv[1])
recipe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipe)
app = json.loads(os.environ["APPLICATION"])
session = recipe.connect(app, store=lambda token: None)
checks = {}


def perform(request):
    global checks
    what = request["do"]
    if what == "begin":
        url, checks = recipe.begin(session, app)
        return url
    if what == "finish":
        recipe.finish(session, app, request["callback"], checks)
        return "signed in"
    if what == "me":
        return session.get(f"{app['origin']}/api/oauth/userinfo").text
    recipe.sign_out(session, app)
    return "signed out"


for line in sys.stdin:
    try:
        result = {"answer": perform(json.loads(line))}
    except Exception as error:
        result = {"error": repr(error)}
    print(json.dumps(result), flush=True)
