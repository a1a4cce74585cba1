"""
# requests-oauthlib

`auto_refresh_url` makes the session refresh by itself; it carries `resource`, as does the token URL of the exchange.
`include_client_id=True` sends the secret in the form; HTTP Basic is not accepted. For an origin on http, such as those of the
demo schools, set `OAUTHLIB_INSECURE_TRANSPORT=1`. Revoking is a POST of your own.
"""
from base64 import urlsafe_b64encode
from hashlib import sha256
from secrets import token_urlsafe
from urllib.parse import quote

import requests
from requests_oauthlib import OAuth2Session


def token_url(app):
    return f"{app['origin']}/api/oauth/token?resource={quote(app['origin'], safe='')}"


def secret(app):
    return {"client_id": app["clientId"], "client_secret": app["clientSecret"]}


def connect(app, store):
    """`store` is called with every new pair."""
    return OAuth2Session(
        app["clientId"],
        redirect_uri=app["redirectUri"],
        scope=["profile", "account:read"],
        auto_refresh_url=token_url(app),
        auto_refresh_kwargs=secret(app),
        token_updater=store,
    )


def begin(session, app):
    """Keep `checks` in the person's session and send the person to `url`."""
    verifier = token_urlsafe(48)
    digest = sha256(verifier.encode()).digest()
    url, _state = session.authorization_url(
        f"{app['origin']}/oauth/authorize",
        resource=app["origin"],
        code_challenge=urlsafe_b64encode(digest).rstrip(b"=").decode(),
        code_challenge_method="S256",
    )
    return url, {"code_verifier": verifier}


def finish(session, app, callback, checks):
    return session.fetch_token(
        token_url(app),
        authorization_response=callback,
        client_secret=app["clientSecret"],
        include_client_id=True,
        **checks,
    )


def sign_out(session, app):
    form = {**secret(app), "token": session.token["refresh_token"]}
    requests.post(f"{app['origin']}/api/oauth/revoke", data=form).raise_for_status()
