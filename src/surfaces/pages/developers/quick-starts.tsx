import { Address } from '../../../foundation/html/components.tsx'
import { Code } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import {
  askMemberApi,
  askRest,
  callTool,
  exchangeCode,
  type GuideAudience,
  MAKE_VERIFIER,
  PASTE_CODE,
  printAddress,
  setClient,
} from './commands.ts'
import type { GuideProps } from './guide-facts.ts'
import { Sample, Section } from './sections.tsx'

/**
 * Answers to the commands of the guide, shortened. A test compares their members with those of real
 * answers.
 */

const ID = '01920000-0000-7000-8000-000000000000'

export function tokenSample(audience: GuideAudience, signsIdTokens: boolean): object {
  const openid = signsIdTokens ? ['openid'] : []
  return {
    access_token: 'sg_at_…',
    token_type: 'Bearer',
    expires_in: 7200,
    refresh_token: 'sg_rt_…',
    scope: (audience === 'member'
      ? ['account:read', 'email', ...openid, 'profile']
      : ['courses:read', ...openid]
    ).join(' '),
    ...(signsIdTokens ? { id_token: 'eyJ…' } : {}),
    ...(audience === 'member'
      ? { school_id: ID, school_subdomain: 'school', created_at: 1800000000 }
      : {}),
  }
}

export const USERINFO_SAMPLE = { sub: ID, org_id: ID, roles: ['student'] }

export const MEMBER_API_SAMPLE = {
  data: { viewer: { id: ID, name: 'Ada', enrolledCourses: { nodes: [{ title: 'Bread' }] } } },
}

export const REST_SAMPLE = {
  object: 'list',
  data: [{ object: 'course', id: ID, slug: 'bread', title: 'Bread', state: 'published' }],
  has_more: false,
  next: null,
}

export function toolSample(audience: GuideAudience): object {
  const text = audience === 'member' ? '{"courses":[…' : '{"action":"courses.list","result":{…'
  return {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text }], structuredContent: {} },
  }
}

/** From the origin to an answer of the Member API and of a member's tool, by copying twice. */
export function MemberQuickStart(props: GuideProps) {
  const { name, origin, signsIdTokens, mcpConnections } = props
  return (
    <Section id="member-road">
      <div class="prose">
        <p>
          You need a <code>client_id</code>: ask an operator of {plainText(name)} for a public
          application with the redirect URI <code>http://127.0.0.1:8400/callback</code> and the
          scopes <code>{`${signsIdTokens ? 'openid ' : ''}profile email account:read`}</code>. They
          make it under Admin, Developers, OAuth applications.
          {!mcpConnections && BETA_OFF}
        </p>
        <First audience="member" {...props} />
        <Second audience="member" {...props}>
          {[askMemberApi(origin), callTool('member', origin)]}
        </Second>
        <p>The answers of the token endpoint, the Member API and the tool:</p>
        <Sample>{tokenSample('member', signsIdTokens)}</Sample>
        <Sample>{MEMBER_API_SAMPLE}</Sample>
        <Sample>{toolSample('member')}</Sample>
      </div>
    </Section>
  )
}

/** The quick start with the REST API and an operator's tool. */
export function OperatorQuickStart(props: GuideProps) {
  const { origin, signsIdTokens, mcpConnections } = props
  return (
    <Section id="operator-road">
      <div class="prose">
        <p>
          You need a tool of the school and a person who is owner or admin. They make the tool under
          Admin, Developers, Operator tools, with the redirect URI{' '}
          <code>http://127.0.0.1/callback</code> and the scopes{' '}
          <code>{`${signsIdTokens ? 'openid ' : ''}courses:read`}</code>; its page shows the{' '}
          <code>client_id</code>.{!mcpConnections && BETA_OFF}
        </p>
        <First audience="operator" {...props} />
        <Second audience="operator" {...props}>
          {[askRest(origin), callTool('operator', origin)]}
        </Second>
        <p>The answers of the token endpoint, the REST API and the tool:</p>
        <Sample>{tokenSample('operator', signsIdTokens)}</Sample>
        <Sample>{REST_SAMPLE}</Sample>
        <Sample>{toolSample('operator')}</Sample>
      </div>
    </Section>
  )
}

const BETA_OFF =
  ' Its admin area shows the group Developers only after an owner or admin has switched on the beta feature “MCP connections” under Settings; a new school has it off.'

function First({ audience, ...props }: GuideProps & { audience: GuideAudience }) {
  const client = setClient(audience, props)
  return (
    <>
      <p>
        Copy this into a shell, with your <code>client_id</code>, and open the address that it
        prints in a browser:
      </p>
      <Code>
        {[`# 1. As ${article(audience)}`, client, MAKE_VERIFIER, printAddress(props)].join('\n')}
      </Code>
    </>
  )
}

function Second({
  audience,
  origin,
  children,
}: GuideProps & { audience: GuideAudience; children: readonly string[] }) {
  return (
    <>
      <p>
        After Allow the browser shows an error page, because nothing listens at{' '}
        <code>127.0.0.1:8400</code>. Take the code from its address bar, from behind{' '}
        <code>code=</code> up to the next <code>&amp;</code>, and copy this into the same shell
        within five minutes:
      </p>
      <Code>
        {[`# 2. As ${article(audience)}`, PASTE_CODE, exchangeCode(origin), ...children].join('\n')}
      </Code>
      <p>
        That is all. The steps below explain it; <Address text={origin} /> stands in every command.
      </p>
    </>
  )
}

function article(audience: GuideAudience): string {
  return audience === 'member' ? 'a member' : 'an operator'
}
