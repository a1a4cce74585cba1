# # mcp-remote
#
# Connects an assistant that knows only local servers. Give the assistant this command. The application is one that the school
# made for its members, public, with the redirect URI `http://127.0.0.1/oauth/callback` (any port) and the scopes
# `openid profile email account:read account:write`; for owners and admins it is a tool of the school, and the URL ends in `/mcp`.
#
# The tool `sign_in` starts the sign-in; ask the assistant to call it. mcp-remote does not revoke; deleting its folder `~/.mcp-auth`
# makes it forget the tokens, and the member ends them under Connected apps.

npx mcp-remote "$ORIGIN/mcp/member" "$PORT" --host 127.0.0.1 \
  --static-oauth-client-info "{\"client_id\":\"$CLIENT_ID\"}"
