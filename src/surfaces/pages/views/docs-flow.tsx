import { Code, Panel } from '../../../foundation/html/site-components.tsx'

/** The code flow, step by step, with commands for this origin. */
export function CodeFlow({ origin, signsIdTokens }: { origin: string; signsIdTokens: boolean }) {
  return (
    <Panel id="authorize" title="4. Send the person here, and exchange the code">
      <div class="prose">
        <p>Make a verifier and its challenge, for this one authorization:</p>
        <Code>
          {[
            "VERIFIER=$(openssl rand -base64 48 | tr -d '\\n' | tr '+/' '-_')",
            'CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary |',
            "  openssl base64 -A | tr '+/' '-_' | tr -d =)",
          ].join('\n')}
        </Code>
        <p>Print the address for them to open in their browser:</p>
        <Code>
          {[
            `echo "${origin}/oauth/authorize?response_type=code\\`,
            '&client_id=YOUR_CLIENT_ID\\',
            '&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback\\',
            '&scope=openid%20profile%20email%20account%3Aread\\',
            `&resource=${encodeURIComponent(origin)}\\`,
            '&code_challenge=$CHALLENGE&code_challenge_method=S256\\',
            `&state=RANDOM${signsIdTokens ? '&nonce=RANDOM' : ''}"`,
          ].join('\n')}
        </Code>
        <p>
          They come back to your redirect URI with <code>code</code>, <code>state</code> and{' '}
          <code>iss</code>. Check the last two, then exchange the code within five minutes. Send{' '}
          <code>resource</code> again: member tokens are bound to it.
        </p>
        <Code>
          {[
            `curl ${origin}/api/oauth/token \\`,
            '  -d grant_type=authorization_code -d client_id=YOUR_CLIENT_ID \\',
            '  -d code="$CODE" -d code_verifier="$VERIFIER" \\',
            '  --data-urlencode redirect_uri=http://127.0.0.1:8400/callback \\',
            `  --data-urlencode resource=${origin}`,
          ].join('\n')}
        </Code>
        <p>
          Add <code>client_secret</code> if your application is confidential. A member’s answer also
          has <code>school_id</code>, <code>school_subdomain</code> and <code>created_at</code>.
        </p>
      </div>
    </Panel>
  )
}

export function Refreshing({ origin }: { origin: string }) {
  return (
    <Panel id="refresh" title="Stay signed in">
      <div class="prose">
        <p>An access token lasts two hours. A refresh gives a new pair without asking anybody:</p>
        <Code>
          {[
            `curl ${origin}/api/oauth/token \\`,
            '  -d grant_type=refresh_token -d client_id=YOUR_CLIENT_ID \\',
            '  -d refresh_token="$REFRESH_TOKEN" \\',
            `  --data-urlencode resource=${origin}`,
          ].join('\n')}
        </Code>
        <p>
          The old pair goes on working until you present the new access token somewhere. So if the
          answer gets lost, send the old refresh token again: until then it is still good.
        </p>
      </div>
    </Panel>
  )
}

export function SigningOut({ origin }: { origin: string }) {
  return (
    <Panel id="sign-out" title="Sign out">
      <div class="prose">
        <Code>
          {[
            `curl ${origin}/api/oauth/revoke \\`,
            '  -d client_id=YOUR_CLIENT_ID -d token="$REFRESH_TOKEN"',
          ].join('\n')}
        </Code>
        <p>
          Revoke the <strong>refresh token</strong>: that always ends the pair. An access token ends
          it only while it is live; after its two hours the call answers 200 and ends nothing.
        </p>
        <p>
          Every device has a pair of its own, and a new authorization ends no earlier one: signing
          out on a device is your client’s job, on that device.
        </p>
      </div>
    </Panel>
  )
}
