import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import {
  LONGEST_NAME,
  MOST_PASSKEYS,
  type Passkey,
} from '../../../domain/people/passkeys/passkeys.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { Badge, Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { PASSKEY_SCRIPT, PasskeyButton, PasskeyUnable, passkeyFields } from './passkey-parts.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

export const PASSKEYS_PATH = '/account/passkeys'

interface PasskeysProps extends SiteFrame {
  passkeys: readonly Passkey[]
  question: PasskeyQuestion
  /** What the browser is told about the passkeys that exist; absent before the first one. */
  known: object | undefined
  timeZone: string
}

export function passkeysPage(props: PasskeysProps): string {
  const { passkeys, known } = props
  const here = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'Passkeys',
    script: PASSKEY_SCRIPT,
    children: (
      <>
        <PageHead
          title="Passkeys"
          lead="Sign in with your fingerprint, your face or the PIN of your device, without a password."
          up={TO_SETTINGS}
        />
        <section
          class="panel"
          aria-label="Your passkeys"
          data-passkeys-known={known === undefined ? undefined : JSON.stringify(known)}
        >
          {passkeys.length === 0 ? (
            <Empty>
              <p>You have no passkey here.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {passkeys.map((passkey) => (
                <One {...props} passkey={passkey} />
              ))}
            </ul>
          )}
          <p class="row-note">
            A passkey is for {here} only. Another school needs its own, even if you use the same
            account there.
          </p>
        </section>
        <Panel title="Add a passkey">
          {passkeys.length >= MOST_PASSKEYS ? (
            <p>You have {MOST_PASSKEYS} passkeys. Remove one to add another.</p>
          ) : (
            <>
              <PasskeyUnable>This page cannot make one here</PasskeyUnable>
              <PasskeyMaker formToken={props.viewer?.formToken ?? ''} question={props.question} />
            </>
          )}
        </Panel>
      </>
    ),
  })
}

interface MakerProps {
  formToken: string
  question: PasskeyQuestion
  /** The page to go back to, if it is not the list. */
  from?: 'account' | 'settings'
  /** Whether the browser may make one by itself. */
  silent?: boolean
}

/** One click makes a passkey. */
export function PasskeyMaker({ formToken, question, from, silent }: MakerProps) {
  const hidden = { from, ...passkeyFields(question) }
  return (
    <Form action={PASSKEYS_PATH} formToken={formToken} hidden={hidden}>
      <div class="actions">
        <PasskeyButton
          kind="make"
          question={question}
          action={PASSKEYS_PATH}
          waits={silent === true}
          look="primary"
        >
          Create a passkey
        </PasskeyButton>
      </div>
    </Form>
  )
}

function One({ passkey, timeZone, viewer }: PasskeysProps & { passkey: Passkey }) {
  const formToken = viewer?.formToken ?? ''
  const name = plainText(passkey.name, LONGEST_NAME) || 'Passkey'
  const path = `${PASSKEYS_PATH}/${passkey.id}`
  const inputId = `name-${passkey.id}`
  return (
    <li>
      <div>
        <p class="row-title">
          <bdi>{name}</bdi> <Badge>{passkey.isSynced ? 'Synced' : 'On one device'}</Badge>
          {passkey.isCloned && <Badge tone="warning">Switched off</Badge>}
        </p>
        <p class="row-note">
          Made <Moment at={passkey.createdAt} timeZone={timeZone} />
          {' · '}
          {passkey.lastUsedAt === undefined ? (
            'not used yet'
          ) : (
            <>
              last used <Moment at={passkey.lastUsedAt} timeZone={timeZone} />
            </>
          )}
        </p>
        {passkey.isCloned && (
          <p class="row-note">
            This passkey may have been copied, so you can no longer sign in with it. Remove it and
            make a new one.
          </p>
        )}
        <details>
          <summary>
            Rename<span class="visually-hidden"> {name}</span>
          </summary>
          <Form action={`${path}/rename`} formToken={formToken}>
            <div class="field">
              <label for={inputId}>Name</label>
              <input
                type="text"
                id={inputId}
                name="name"
                value={name}
                maxLength={LONGEST_NAME}
                autocomplete="off"
                dir="auto"
                required
              />
            </div>
            <Button look="plain">Save name</Button>
          </Form>
        </details>
      </div>
      <Form action={`${path}/remove`} formToken={formToken}>
        <Button look="plain">
          Remove<span class="visually-hidden"> {name}</span>
        </Button>
      </Form>
    </li>
  )
}
