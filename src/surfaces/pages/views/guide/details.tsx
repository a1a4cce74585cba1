import { Address } from '../../../../foundation/html/components.tsx'
import type { GuideProps } from './guide-props.ts'
import { Section } from './sections.tsx'

export function IdTokens({ origin, signsIdTokens, publishesKeys }: GuideProps) {
  return (
    <Section id="id-token">
      <div class="prose">
        {!signsIdTokens && (
          <p>
            This origin does not sign ID tokens at the moment: use UserInfo, and leave{' '}
            <code>openid</code> out of <code>scope</code>, because libraries that ask for it fail
            without an ID token. <a href="#assistants">Assistants</a> may ask for it: they use no ID
            token.
            {publishesKeys && ' Its keys are published already, but none of them signs yet.'}
          </p>
        )}
        <p>
          You get an ID token only from the code exchange, with the scope <code>openid</code>, if
          the discovery document lists both <code>id_token_signing_alg_values_supported</code> and{' '}
          <code>jwks_uri</code>. If either is missing, use UserInfo. Before you trust an ID token,
          check:
        </p>
        <ul>
          <li>
            the ES256 signature, with the key of this <code>kid</code> at <code>jwks_uri</code>
          </li>
          <li>
            <code>iss</code> is <Address text={origin} />, <code>aud</code> is your{' '}
            <code>client_id</code>
          </li>
          <li>
            <code>exp</code> is in the future (an ID token lasts ten minutes), and{' '}
            <code>nonce</code> is the one you sent
          </li>
        </ul>
      </div>
    </Section>
  )
}

export function Pitfalls({ origin, variant }: GuideProps) {
  return (
    <Section id="good-to-know">
      <div class="prose">
        <ul>
          <li>
            The person is asked for consent every time. That says nothing about earlier grants: each
            authorization adds one and ends none.
          </li>
          <li>
            Confidential applications put <code>client_secret</code> into the form body of the token
            and {variant === 'newer' ? 'revocation' : 'introspection'} endpoints. HTTP Basic is not
            accepted. When the school renews your secret, the old one works for 24 hours more,
            unless the school ends it at once.
          </li>
          {variant === 'older' && (
            <li>
              At this origin a client can also introspect its own tokens:{' '}
              <Address text={`${origin}/api/oauth/introspect`} />. The <code>resource</code> of a
              token is in <code>aud</code>.
            </li>
          )}
          <li>
            People see and end your access under <a href="/account/apps">Connected apps</a>.
          </li>
        </ul>
      </div>
    </Section>
  )
}
