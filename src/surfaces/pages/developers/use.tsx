import { Code } from '../../../foundation/html/site-components.tsx'
import { askMemberApi, askRest, askUserInfo, callTool } from './commands.ts'
import type { GuideProps } from './guide-facts.ts'
import { USERINFO_SAMPLE } from './quick-starts.tsx'
import { Sample, Section } from './sections.tsx'

export function Use({ origin, variant, explorer }: GuideProps) {
  return (
    <Section id="use">
      <div class="prose">
        <p>Who signed in, for both audiences:</p>
        <Code>{askUserInfo(origin)}</Code>
        <Sample>{USERINFO_SAMPLE}</Sample>
        <p>
          The Member API, for a member with <code>account:read</code>:
        </p>
        <Code>{askMemberApi(origin)}</Code>
        <p>
          The same as a tool of <code>/mcp/member</code>:
        </p>
        <Code>{callTool('member', origin)}</Code>
        <p>
          The REST API and an operator’s tool of <code>/mcp</code>, for an operator with{' '}
          <code>courses:read</code>:
        </p>
        <Code>{`${askRest(origin)}\n\n${callTool('operator', origin)}`}</Code>
        {explorer && (
          <p>
            Try queries of the Member API in your browser, as yourself, in{' '}
            <a href="/member/explorer">the explorer</a>.
          </p>
        )}
        <p>
          The Member API takes POST only: in urql set <code>preferGetMethod: false</code>. It keeps
          no persisted queries; Apollo’s link notices that and sends the whole query.
        </p>
        <ul>
          <li>
            Store the <code>resource</code> that you sent together with the token, and compare it
            with the origin before each call. You cannot ask later which resource a token is bound
            to
            {variant === 'older' && ', except by introspection at this origin'}.
          </li>
          {variant === 'newer' && (
            <li>
              Build a billing history from <code>viewer.payments</code>, the only list with amounts,
              coupons, refunds and invoices. It includes unpaid, expired and failed rows on purpose:
              show their <code>bankCode</code>, <code>bankName</code>, <code>codeNo</code> and{' '}
              <code>expiredAt</code>. Only a pending one can still be paid.
            </li>
          )}
          <li>
            The <code>meetings</code> of a consulting service are those of all members. Never show
            them as the member’s own
            {variant === 'newer' && (
              <>
                ; those are <code>viewer.consultingMeetings</code>
              </>
            )}
            .
          </li>
          {variant === 'newer' && (
            <li>
              <code>viewer.consultingMeetings</code> has canceled meetings too: for a schedule,
              filter by <code>state: [available, scheduled]</code>. The newest start comes first, so
              the next meeting, or the one that runs now, is <code>last: 1</code> with{' '}
              <code>endedAfter</code> now, not <code>first: 1</code>.
            </li>
          )}
        </ul>
      </div>
    </Section>
  )
}

export function Errors({ variant }: GuideProps) {
  return (
    <Section id="errors">
      <div class="prose">
        <p>
          Every refusal has a code and links to its explanation: <code>error_uri</code>,{' '}
          <code>type</code> of a problem, <code>extensions.docs</code> of a GraphQL error.{' '}
          <a href="/docs/errors">All codes</a>; these are the most frequent:
        </p>
        <ul>
          <li>
            <strong>401 invalid_token</strong>: the token is expired, revoked, missing or for
            another origin. Try one refresh, then start a new authorization.
          </li>
          <li>
            <strong>403 insufficient_scope</strong>: the token lacks the scope in the header{' '}
            <code class="whole">WWW-Authenticate</code>. Ask for it in a new authorization.
          </li>
          {variant === 'newer' ? (
            <li>
              <strong>200 with errors</strong> from the Member API: if the token has only one of the
              two account scopes, a field that needs the other one gives an entry in the{' '}
              <code>errors</code> array. Check the array, not only the status.
            </li>
          ) : (
            <li>
              <strong>200 with errors</strong> from the Member API: a part of the query failed.
              Check the <code>errors</code> array, not only the status. At this origin a missing
              scope is always a 403, for the whole query.
            </li>
          )}
          <li>
            <strong>401 invalid_client</strong> from the token endpoint: the <code>client_id</code>{' '}
            is not known or switched off here, or the <code>client_secret</code> is missing, wrong,
            or sent by a public application. Correct it; a new attempt or authorization alone does
            not help.
          </li>
          <li>
            <strong>400</strong> from the token endpoint: <code>error_description</code> says what
            to change. After <strong>invalid_grant</strong>, start a new authorization.
          </li>
          <li>
            <strong>429 and 503</strong>: wait for <code class="whole">Retry-After</code>, and keep
            your tokens.
          </li>
          <li>
            <strong>limit_exceeded</strong> from the Member API: the answer would be too large, so
            none was sent. Ask for smaller pages with <code>first</code>, for fewer lists at once,
            or under fewer aliases.
          </li>
        </ul>
      </div>
    </Section>
  )
}
