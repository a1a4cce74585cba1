import { Code } from '../../../foundation/html/site-components.tsx'
import {
  exchangeCode,
  MAKE_VERIFIER,
  PASTE_CODE,
  printAddress,
  refreshPair,
  revokePair,
  setClient,
} from './commands.ts'
import type { GuideProps } from './guide-facts.ts'
import { Section } from './sections.tsx'

/** The code flow, step by step, with commands for this origin. */
export function CodeFlow(props: GuideProps) {
  const { origin, signsIdTokens } = props
  return (
    <Section id="authorize">
      <div class="prose">
        <p>Set these for a member:</p>
        <Code>{setClient('member', props)}</Code>
        <p>
          or these for an operator. A client may ask only for scopes that it holds, and never for
          scopes of the other audience:
        </p>
        <Code>{setClient('operator', props)}</Code>
        <p>Create a new verifier and its challenge for each authorization:</p>
        <Code>{MAKE_VERIFIER}</Code>
        <p>Print the address that the person opens in a browser:</p>
        <Code>{printAddress(props)}</Code>
        <p>
          Nothing listens at <code>127.0.0.1:8400</code> while you try this, so after Allow the
          browser shows an error page. That is right: copy the code from its address bar, from
          behind <code>code=</code> up to the next <code>&amp;</code>.
        </p>
        <Code>{PASTE_CODE}</Code>
        <p>
          The browser returns to your redirect URI with <code>code</code>, <code>state</code> and{' '}
          <code>iss</code>. Check the last two, then exchange the code within five minutes. Send{' '}
          <code>resource</code> again: member tokens are bound to it.
        </p>
        <p>
          The server does not ask for <code>state</code>
          {signsIdTokens && (
            <>
              {' '}
              or <code>nonce</code>
            </>
          )}
          : send a new random value each time, keep it in the person’s session, and refuse an answer
          with another <code>state</code>
          {signsIdTokens && (
            <>
              {' '}
              or an ID token with another <code>nonce</code>
            </>
          )}
          .
        </p>
        <p>
          If your application is confidential, add <code>-d client_secret=YOUR_SECRET</code> after
          the address in this command and in the one that refreshes; without it they answer 401{' '}
          <code>invalid_client</code>.
        </p>
        <Code>{exchangeCode(origin)}</Code>
        <p>
          If your library cannot add <code>resource</code> to these fields, nor to those of a
          refresh, use this token URL instead. Every other parameter belongs in the body.
        </p>
        <Code>{`${origin}/api/oauth/token?resource=${encodeURIComponent(origin)}`}</Code>
        <p>
          The answer for a member also has <code>school_id</code>, <code>school_subdomain</code> and{' '}
          <code>created_at</code>.
        </p>
      </div>
    </Section>
  )
}

export function Refreshing({ origin }: { origin: string }) {
  return (
    <Section id="refresh">
      <div class="prose">
        <p>
          An access token lasts two hours. A refresh gives you a new pair of tokens without asking
          the person again:
        </p>
        <Code>{refreshPair(origin)}</Code>
        <p>
          The old pair works until you first use the new access token. So if the answer gets lost,
          send the old refresh token again. You need no <code>offline_access</code>: every
          authorization has a refresh token, and the name is ignored.
        </p>
        <p>
          Read <code>scope</code> in every answer. It is smaller if the school took a scope away
          from your application, and whole again when the school gives it back. You may ask in{' '}
          <code>scope</code> for a part of what the person allowed, never for more.
        </p>
      </div>
    </Section>
  )
}

export function SigningOut({ origin, variant, signsIdTokens }: GuideProps) {
  return (
    <Section id="sign-out">
      <div class="prose">
        <Code>{revokePair(origin)}</Code>
        <p>
          Revoke the <strong>refresh token</strong>: that always ends the pair, also when the access
          token has expired. An access token ends the pair only before it expires; after its two
          hours the call answers 200 and ends nothing.{' '}
          {variant === 'newer' ? (
            <>
              A confidential application adds its <code>client_secret</code>; without it the answer
              is <strong>403 unauthorized_client</strong>.
            </>
          ) : (
            <>
              <code>token</code> and <code>client_id</code> are all this origin asks for, also from
              a confidential application. A secret that you send all the same must be right.
            </>
          )}
        </p>
        <p>
          Every device has its own pair, and a new authorization does not end earlier ones. So your
          client revokes the pair of a device when the person signs out on that device.
        </p>
        {signsIdTokens ? (
          <>
            <p>
              To end the browser’s session here too, send the browser to this address. Keep the ID
              token for it: it may have expired, but without it the person is asked first. An
              operator registers <code>post_logout_redirect_uri</code> on your application; it must
              match exactly, the port too. The tokens stay: revoke them as above.
            </p>
            <Code>
              {`${origin}/oauth/logout?id_token_hint=ID_TOKEN&post_logout_redirect_uri=YOUR_URI&state=RANDOM`}
            </Code>
          </>
        ) : (
          <p>
            This origin signs no ID tokens, so it has no <code>end_session_endpoint</code>: people
            end the browser’s session here at <a href="/sign-out">/sign-out</a>.
          </p>
        )}
      </div>
    </Section>
  )
}
