import { Address } from '../../../../foundation/html/components.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { Badge, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { count } from '../words.ts'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

/** A number with a link to its list. */
export interface Figure {
  label: string
  href: string
  value: number
}

interface OverviewProps extends AdminFrame {
  figures: readonly Figure[]
  origin: string
  people: number
  applications: number
  awaitingReview: number
  signsIdTokens: boolean
}

export function overviewPage(props: OverviewProps): string {
  const { developersShown, applications, awaitingReview } = props
  return adminPage({
    ...props,
    title: 'Admin',
    children: (
      <>
        <PageHead
          title={plainText(props.school.name) || 'Admin'}
          lead={<Address text={props.origin} />}
        />
        <ul class="figures" aria-label="At a glance">
          {props.figures.map(({ label, href, value }) => (
            <li>
              <a href={href}>
                <span class="figure">{value.toLocaleString('en')}</span> {label}
              </a>
            </li>
          ))}
        </ul>
        <div class="two">
          <Panel
            title="OAuth applications"
            lead="Apps that you created for your members, each with its client_id."
          >
            {developersShown ? (
              <p>
                <a href={paths.applications}>
                  {count(applications, 'application', 'applications')}
                </a>
              </p>
            ) : (
              <p>
                Part of the beta feature “MCP connections”, which is off.{' '}
                <a href={paths.settings}>Switch it on in Settings</a>
              </p>
            )}
          </Panel>
          <Panel title="Connected apps" lead="Apps, assistants and tools that people gave access.">
            <p>
              <a href={paths.clients}>
                {awaitingReview === 0
                  ? 'Nothing awaits review'
                  : `${count(awaitingReview, 'document awaits', 'documents await')} review`}
              </a>
            </p>
          </Panel>
          <Panel title="People" lead="Members and staff who connected an app to their account.">
            <p>{count(props.people, 'person has', 'people have')} a connected app.</p>
          </Panel>
          <Panel title="ID tokens" lead="They tell an app who signed in.">
            <p class="actions">
              {props.signsIdTokens ? (
                <Badge tone="good">Signed</Badge>
              ) : (
                <Badge>Not signed yet</Badge>
              )}
              <a href={paths.keys}>Signing keys</a>
            </p>
          </Panel>
        </div>
      </>
    ),
  })
}
