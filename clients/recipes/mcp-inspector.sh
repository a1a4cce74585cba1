# # MCP Inspector
#
# Its command line signs in when a tool asks for it: it prints an address, opens it, and keeps the tokens in `~/.mcp-inspector`. It
# needs Node 22. The application is one that the school made for its members, public, with the redirect URI `http://127.0.0.1/callback`
# (any port) and the scopes `openid profile email account:read account:write`; for owners and admins it is a tool of the school, and
# the URL ends in `/mcp`. Without a keychain set `MCP_INSPECTOR_SECRET_STORE=file`, or the tokens are lost after each call. Add to
# the command below:
#
# - To sign in: `--method tools/call --tool-name sign_in --tool-args-json '{"as":"member"}'`. After the login it lists the tools again
#   and says that `sign_in` is not found. The login is kept all the same: `sign_in` is listed only until the person is signed in.
# - To call: `--stored-auth-only --method tools/call --tool-name my_account`. It refreshes by itself. Without `--stored-auth-only` it
#   starts a new login if a refresh fails, and waits 15 minutes for the browser.
# - To sign out: `--relogin --method tools/list`. It forgets the tokens without revoking them; the member ends them under
#   Connected apps.

npx @modelcontextprotocol/inspector --cli "$ORIGIN/mcp/member" --transport http \
  --client-id "$CLIENT_ID" --callback-url "http://127.0.0.1:$PORT/callback" "$@"
