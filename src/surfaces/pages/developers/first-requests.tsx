import { Address } from '../../../foundation/html/components.tsx'
import { Code } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { discoverCommands } from './commands.ts'
import type { GuideProps } from './guide-facts.ts'
import { Section } from './sections.tsx'

export function Discover({ origin }: { origin: string }) {
  return (
    <Section id="discover">
      <div class="prose">
        <p>
          Read the metadata first. It lists the endpoints, grant types and scopes; do not wait for a
          401 to lead you there.
        </p>
        <Code>{discoverCommands(origin)}</Code>
        <p>
          The issuer and the <code>resource</code> of this school are both <Address text={origin} />
          , without a slash at the end.
        </p>
      </div>
    </Section>
  )
}

export function Choose({ variant }: GuideProps) {
  return (
    <Section id="choose">
      <div class="prose">
        <ul>
          <li>
            <strong>A member</strong> who reads their own courses,{' '}
            {variant === 'newer' ? 'bookings, payments' : 'products, event registrations'} and
            notifications: scopes <code>account:read</code> and <code>account:write</code>, the
            GraphQL Member API, and <code>/mcp/member</code> for{' '}
            <a href="#assistants">assistants</a>.
          </li>
          <li>
            <strong>An operator</strong>, owner or admin, who runs the school: scopes such as{' '}
            <code>courses:read</code>, the REST API in <a href="/docs/api">its reference</a> and{' '}
            <a href="/openapi.json">/openapi.json</a>, and <code>/mcp</code> for{' '}
            <a href="#assistants">assistants</a>. A write scope does not include reading: without{' '}
            <code>courses:read</code>, a write with <code>courses:write</code> answers only the id,
            the version and what you sent.
          </li>
        </ul>
        <p>
          In both cases a person signs in and allows it: authorization code with PKCE (S256) is the
          only way to get a token. A program cannot get one on its own: there are no service
          accounts, no proof of identity from elsewhere is exchanged for a token, and no token comes
          first with the person’s approval later.
        </p>
      </div>
    </Section>
  )
}

const BETA_IS_OFF =
  'This group is shown once they have switched on the beta feature “MCP connections” under Settings. '

export function Register(props: GuideProps) {
  const { name, origin, signsIdTokens, documents, foreignDocuments, mcpConnections } = props
  return (
    <Section id="register">
      <div class="prose">
        <h3>For members</h3>
        <p>
          Ask an operator of {plainText(name)} to create your application: Admin, Developers, OAuth
          applications. {!mcpConnections && BETA_IS_OFF}Tell them your redirect URIs
          {signsIdTokens && ', also those after sign-out,'} and your scopes. There is no
          self-service for these.
        </p>
        <h3>For operators, with a tool of the school</h3>
        <p>
          For your own script or program, and for generic clients such as mcp-remote and MCP
          Inspector. Ask an owner or admin to create it: Admin, Developers, Operator tools
          {!mcpConnections && ' (with “MCP connections” on)'}, or{' '}
          <code>schoolgate tool create</code> on the server. Tell them a short name, the scopes, and
          your redirect URIs, which must be on your own computer; their port may differ. The school
          publishes the metadata document of the tool, and its address is your{' '}
          <code>client_id</code>:
        </p>
        <Code>{`curl ${origin}/clients/YOUR_TOOL.json`}</Code>
        <p>
          There is no secret and no review. mcp-remote, for example, needs the redirect URI{' '}
          <code>http://localhost/oauth/callback</code> and is started with:
        </p>
        <Code>
          {[
            `npx mcp-remote ${origin}/mcp --static-oauth-client-info \\`,
            `  '{"client_id": "${origin}/clients/YOUR_TOOL.json"}'`,
          ].join('\n')}
        </Code>
        <h3>For operators, if you are a platform this server knows</h3>
        <Code>
          {`curl ${origin}/api/oauth/register \\
  -H 'Content-Type: application/json' \\
  -d '{"client_name": "Claude"}'`}
        </Code>
        <p>
          The answer has your <code>client_id</code>, your redirect URIs and the operator scopes
          that you may ask for. An unknown name is answered with{' '}
          <code>invalid_client_metadata</code>, whatever else you send; its{' '}
          <code>error_description</code> lists the names that are known here. The administrator of
          this server can add a platform with <code>schoolgate platform add</code>.
        </p>
        <h3>For operators, with your own metadata document</h3>
        <p>
          First check <code>client_id_metadata_document_supported</code> in the metadata: only if it
          is <code>true</code> may a <code>client_id</code> be a URL. Here it is{' '}
          <code>{String(documents)}</code>
          {documents
            ? ': publish'
            : ', so this way is closed at present. Where it is true, publish'}{' '}
          a client metadata document over https and use its address as <code>client_id</code>. Its
          redirect URIs are on the document’s host or on loopback. Until the school has reviewed it,
          it may ask only for identity and read scopes.{' '}
          {foreignDocuments
            ? 'This school accepts documents from the hosts that it permits.'
            : 'This school permits no host yet: ask its operator to add yours.'}
        </p>
      </div>
    </Section>
  )
}

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
