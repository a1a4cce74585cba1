import type { FastifyInstance } from 'fastify'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { KEY_LEAD_SECONDS, type ListedKey, listKeys } from '../../../../domain/schools/signing.ts'
import {
  activateKey,
  publishKey,
  retireKey,
} from '../../../../domain/schools/signing-key-operations.ts'
import { Address, Button, Form } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { queryOf, withoutNul } from '../../frame/layout.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'

const NOTICES = {
  published: 'The key is published. You can activate it when every cache has it.',
  activated: 'The key signs ID tokens from now on.',
  retired: 'The key is retired.',
  'too-early': { warning: 'Not yet: apps may still use a cached key set without this key.' },
  'does-not-open': {
    warning: 'This server’s secret cannot decrypt the key. Publish a new one.',
  },
  unchanged: { warning: 'Nothing was changed: the key is no longer in that stage.' },
}

export function addKeyRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.keys, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const page = keysPage({
      ...visit.frame(NOTICES),
      keys: await listKeys(request.schoolDb),
      leadHours: KEY_LEAD_SECONDS / 3600,
    })
    return visit.page(page)
  })

  const activate = activateKey(context.keyring)
  const publish = publishKey(context.keyring)

  app.post(`${adminPaths.keys}/publish`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.keys)
    visit.form()
    await visit.perform(publish, {})
    return showAgain(visit, 'published')
  })

  app.post(`${adminPaths.keys}/activate`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.keys)
    const kid = visit.form().get('kid') ?? ''
    const outcome = await visit.perform(activate, { kid })
    return showAgain(visit, noticeOf(outcome, 'activated'))
  })

  app.get(`${adminPaths.keys}/retire`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const kid = withoutNul(queryOf(request).get('kid') ?? '')
    const keys = await listKeys(request.schoolDb)
    if (!keys.some((key) => key.kid === kid)) throw noKey()
    const frame = visit.frame()
    return visit.page(retireKeyPage({ ...frame, kid, isWrongName: false }))
  })

  app.post(`${adminPaths.keys}/retire`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.keys)
    const form = visit.form()
    const kid = withoutNul(form.get('kid') ?? '')
    if (!isNameTyped(form, kid)) {
      const frame = visit.frame()
      const page = retireKeyPage({ ...frame, kid, isWrongName: true })
      return visit.page(page, 422)
    }
    const outcome = await visit.perform(retireKey, { kid })
    return showAgain(visit, noticeOf(outcome, 'retired'))
  })

  const showAgain = (visit: OperatorVisit, done: keyof typeof NOTICES) =>
    visit.goTo(`${adminPaths.keys}?done=${done}`)
}

function noKey(): RequestRefusedError {
  return new RequestRefusedError(404, 'There is no such key at this school.')
}

function noticeOf<T>(outcome: Outcome<T>, done: 'activated' | 'retired'): keyof typeof NOTICES {
  if (outcome.kind === 'done') return done
  if (outcome.kind === 'not_found') {
    throw noKey()
  }
  const code = outcome.kind === 'conflict' ? outcome.code : outcome.kind
  if (code === 'too_early') return 'too-early'
  return code === 'does_not_open' ? 'does-not-open' : 'unchanged'
}

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
          <Form action={`${adminPaths.keys}/publish`} formToken={props.viewer?.formToken ?? ''}>
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
          <ButtonLink
            look="plain"
            href={`${adminPaths.keys}/retire?kid=${encodeURIComponent(key.kid)}`}
          >
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
    <Form
      action={`${adminPaths.keys}/activate`}
      formToken={viewer?.formToken ?? ''}
      hidden={{ kid }}
    >
      <Button look="plain">
        Activate
        <span class="visually-hidden"> {kid}</span>
      </Button>
    </Form>
  )
}

interface RetireKeyProps extends AdminFrame {
  kid: string
  isWrongName: boolean
}

/** The question before a key can sign no more. */
export function retireKeyPage(props: RetireKeyProps): string {
  const { kid, isWrongName } = props
  return questionPage({
    ...props,
    here: adminPaths.keys,
    title: 'Retire a signing key',
    question: 'Retire this signing key?',
    back: { url: adminPaths.keys, label: 'Signing keys' },
    tone: 'danger',
    consequence: (
      <p>
        It can never sign again, and leaves the key set after a day. To sign with another key than
        the active one, you then have to publish one and wait until every app has fetched it.
      </p>
    ),
    form: {
      path: `${adminPaths.keys}/retire`,
      hidden: { kid },
      typed: { name: kid, isWrong: isWrongName, nothing: 'Nothing was changed.' },
      button: 'Retire',
    },
  })
}
