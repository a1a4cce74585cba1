"""
# Authlib

`OAuth2Session` refreshes by itself if it knows the token endpoint. `resource` goes into the authorization request, and for the
exchange and for refreshes it stands in the token URL. `client_secret_post` is needed because HTTP Basic, its default, is not
accepted. For an origin on http, such as those of the demo schools, set `AUTHLIB_INSECURE_TRANSPORT=1`.
"""
from urllib.parse import quote

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session


def connect(app, store):
    """`store` is called with every new pair."""
    origin = app["origin"]
    return OAuth2Session(
        app["clientId"],
        app["clientSecret"],
        redirect_uri=app["redirectUri"],
        scope="profile account:read",
        code_challenge_method="S256",
        token_endpoint=f"{origin}/api/oauth/token?resource={quote(origin, safe='')}",
        token_endpoint_auth_method="client_secret_post",
        revocation_endpoint_auth_method="client_secret_post",
        update_token=lambda token, **_: store(token),
    )


def begin(session, app):
    """Keep `checks` in the person's session and send the person to `url`."""
    verifier = generate_token(48)
    url, state = session.create_authorization_url(
        f"{app['origin']}/oauth/authorize", code_verifier=verifier, resource=app["origin"]
    )
    return url, {"state": state, "code_verifier": verifier}


def finish(session, app, callback, checks):
    return session.fetch_token(authorization_response=callback, **checks)


def sign_out(session, app):
    refresh_token = session.token["refresh_token"]
    session.revoke_token(f"{app['origin']}/api/oauth/revoke", token=refresh_token)
