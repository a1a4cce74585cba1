import type { FastifyInstance } from 'fastify'
import {
  type Assistant,
  type OfferedAssistant,
  offeredAssistants,
  templateOf,
} from '../../../domain/clients/assistants.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'
import { Alert, Name } from '../../../foundation/html/components.tsx'
import { COPY_SCRIPT, Copyable, CopyStatus } from '../../../foundation/html/copyable.tsx'
import { Badge, Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { isOwnMachine } from '../../../foundation/net/parse-url.ts'
import { TOOL_ENDPOINTS } from '../../../foundation/protocol/resource-names.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { adminPaths, TO_SETTINGS } from '../frame/paths.ts'
import { signedInVisit } from '../frame/visit.ts'
import { STEPS } from './assistant-steps.tsx'

/** For members: the assistants that the school offers, and how to connect each. */
export function addMemberAssistantRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/account/assistants', async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const { school } = request
    const page = memberAssistantsPage({
      ...visit.frame(),
      address: school.origin + TOOL_ENDPOINTS.member,
      server: school.subdomain,
      variant: school.variant,
      hasRole: session.roles.length > 0,
      developersShown: school.mcpConnections,
      contactEmail: school.contactEmail,
      offered: await offeredAssistants(request.schoolDb),
    })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })
}

interface MemberAssistantsProps extends SiteFrame {
  readonly address: string
  readonly server: string
  readonly variant: SchoolVariant
  readonly hasRole: boolean
  /** Whether the admin area has the group Developers. */
  readonly developersShown: boolean
  readonly contactEmail: string | undefined
  readonly offered: readonly OfferedAssistant[]
}

/** How a member gives an assistant access to their own account. */
export function memberAssistantsPage(props: MemberAssistantsProps): string {
  const { school, offered, hasRole, variant } = props
  const name = <Name text={school.name} fallback="this school" />
  const canWrite = offered.some(({ scopes }) => scopes.includes('account:write'))
  return sitePage({
    ...props,
    title: 'Use with an assistant',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title="Use with an assistant"
          lead={
            <>
              An assistant can look up your courses, progress
              {variant === 'newer' && ', bookings, payments'} and notifications at {name} for you
              {canWrite && ', mark notifications as read and change which ones you get'}. It gets
              only what you allow, and you can end that at any time.
            </>
          }
          up={TO_SETTINGS}
        />
        {!hasRole && (
          <section class="panel">
            <p>You have no role at {name}, so you cannot connect an assistant to it.</p>
          </section>
        )}
        {hasRole && (offered.length === 0 ? <NoneOffered {...props} /> : <Offered {...props} />)}
      </>
    ),
  })
}

function NoneOffered(props: MemberAssistantsProps) {
  const { school, viewer, contactEmail } = props
  return (
    <section class="panel">
      <Empty>
        <p>
          <Name text={school.name} fallback="This school" /> offers no assistant yet.
        </p>
        {viewer?.operator === true ? (
          <HowToOffer {...props} />
        ) : (
          <p>
            Ask the school for the one that you use: an owner or admin has to connect it first.
            {contactEmail !== undefined && (
              <>
                {' '}
                Write to <a href={`mailto:${encodeURI(contactEmail)}`}>{contactEmail}</a>.
              </>
            )}
          </p>
        )}
      </Empty>
    </section>
  )
}

function HowToOffer({ developersShown }: MemberAssistantsProps) {
  if (developersShown) {
    return (
      <p>
        You can offer one: <a href={adminPaths.assistants}>Connect an assistant</a>.
      </p>
    )
  }
  return (
    <p>
      You can offer one: switch on the beta feature “MCP connections” in{' '}
      <a href={adminPaths.settings}>Settings</a>, then choose Assistants under Developers.
    </p>
  )
}

function Offered(props: MemberAssistantsProps) {
  const { address, offered } = props
  return (
    <>
      {isOwnMachine(new URL(address).hostname) && (
        <Alert tone="warning" title="This school runs on your own computer.">
          <p>Only assistants on the same computer can reach it, not those on the internet.</p>
        </Alert>
      )}
      <Panel title="The address" lead="It is the same for every assistant.">
        <div class="prose">
          <Copyable id="address" what="the address">
            {address}
          </Copyable>
        </div>
        {offered.length > 1 && (
          <p>
            The steps for{' '}
            {offered.map(({ clientId, name, assistant }, place) => (
              <>
                {place > 0 && ' · '}
                <a href={`#${idOf(clientId)}`}>
                  <Name text={name} fallback={templateOf(assistant).name} />
                </a>
              </>
            ))}
          </p>
        )}
      </Panel>
      {offered.map((one) => (
        <One {...props} one={one} />
      ))}
      <Panel title="When it is connected">
        <div class="prose">
          <p>
            If it sees only what the school has published, ask it to call the tool{' '}
            <code>sign_in</code> as a member: your browser opens, and after Allow it sees your
            account.
          </p>
          <p>
            To end its access, open <a href="/account/apps">Connected apps</a>.
          </p>
        </div>
      </Panel>
      <CopyStatus />
    </>
  )
}

/** The client_id of an application has only characters that an id may have. */
const idOf = (clientId: string): string => `app-${clientId}`

function One(props: MemberAssistantsProps & { one: OfferedAssistant }) {
  const { address, server } = props
  const { assistant, clientId, name, scopes } = props.one
  const id = idOf(clientId)
  const known: string = templateOf(assistant).name
  return (
    <Panel
      id={id}
      title={
        <>
          <Name text={name} fallback={known} /> {known !== name && <Badge>{known}</Badge>}
        </>
      }
    >
      <div class="prose">
        <p>Its client_id at this school. It is no secret: it only names the app.</p>
        <Copyable id={`${id}-client`} what={`the client_id of ${plainText(name) || known}`}>
          {clientId}
        </Copyable>
        <Steps {...{ assistant, id, address, clientId, server, scopes }} />
      </div>
    </Panel>
  )
}

function Steps(props: { assistant: Assistant } & Parameters<(typeof STEPS)[Assistant]>[0]) {
  return <>{STEPS[props.assistant](props)}</>
}
