import type { ListedKey } from '../../../../domain/schools/signing.ts'
import { Address, Button, Form } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

interface KeysProps extends AdminFrame {
  /** Newest first. */
  keys: readonly ListedKey[]
  /** How long a key is published before it may sign. */
  leadHours: number
}

export function keysPage(props: KeysProps): string {
  const { keys, leadHours } = props
  const signs = keys.some(({ stage }) => stage === 'active')
  return adminPage({
    ...props,
    title: 'Signing keys',
    children: (
      <>
        <PageHead
          title="Signing keys"
          lead={
            signs
              ? 'The active key signs the ID tokens of your school.'
              : 'No key is active, so apps get no ID tokens here and use UserInfo instead.'
          }
        />
        <section class="panel" aria-label="Keys">
          {keys.length === 0 ? (
            <Empty>
              <p>No keys yet.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {keys.map((key) => (
                <Key {...props} signingKey={key} />
              ))}
            </ul>
          )}
        </section>
        <Panel
          title="Publish a new key"
          lead={`The key is in the key set at once. You can activate it after ${leadHours} hours, when every app has fetched it. Then the old key retires and stays in the key set for another day.`}
        >
          <Form action={`${paths.keys}/publish`} formToken={props.viewer?.formToken ?? ''}>
            <Button look="plain">Publish a key</Button>
          </Form>
        </Panel>
      </>
    ),
  })
}

function Key(props: KeysProps & { signingKey: ListedKey }) {
  const { signingKey: key, timeZone } = props
  return (
    <li>
      <div>
        <p class="row-title">
          <Address text={key.kid} />
          <StageBadge stage={key.stage} />
        </p>
        <p class="row-note">
          Published <Moment at={key.publishedAt} timeZone={timeZone} />
          {key.activatedAt && (
            <>
              {' · active since '}
              <Moment at={key.activatedAt} timeZone={timeZone} />
            </>
          )}
          {key.retiredAt && (
            <>
              {' · retired '}
              <Moment at={key.retiredAt} timeZone={timeZone} />
            </>
          )}
          {key.stage === 'published' && !key.ready && (
            <>
              {' · can sign from '}
              <Moment at={key.readyAt} timeZone={timeZone} />
            </>
          )}
        </p>
      </div>
      {key.stage === 'published' && (
        <div class="row-end">
          {key.ready && <ActivateForm {...props} kid={key.kid} />}
          <ButtonLink look="plain" href={`${paths.keys}/retire?kid=${encodeURIComponent(key.kid)}`}>
            Retire
            <span class="visually-hidden"> {key.kid}</span>
          </ButtonLink>
        </div>
      )}
    </li>
  )
}

function StageBadge({ stage }: { stage: ListedKey['stage'] }) {
  if (stage === 'active') return <Badge tone="good">Active</Badge>
  return stage === 'published' ? (
    <Badge tone="waiting">Published</Badge>
  ) : (
    <Badge tone="over">Retired</Badge>
  )
}

function ActivateForm({ kid, viewer }: AdminFrame & { kid: string }) {
  return (
    <Form action={`${paths.keys}/activate`} formToken={viewer?.formToken ?? ''} hidden={{ kid }}>
      <Button look="plain">
        Activate
        <span class="visually-hidden"> {kid}</span>
      </Button>
    </Form>
  )
}
