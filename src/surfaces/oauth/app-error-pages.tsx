import { Address, Facts } from '../../foundation/html/components.tsx'
import { errorPage, type Place } from '../../foundation/html/error-page.tsx'
import { plainText } from '../../foundation/text/plain-text.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'

// What a person sees whose app sent them with an authorization request that cannot go on.

/** Answers 400. `explanation` says why, to the developer. */
export function unknownClientPage({
  reference,
  school,
  clientId,
  explanation,
}: Place & { clientId: string; explanation: string }) {
  return appMistakePage({
    reference,
    school,
    title: 'We do not know this app',
    what: `An app sent you here, but ${plainText(school.name) || 'this school'} does not know this app.`,
    explanation,
    parameters: { client_id: clientId },
    next: /^https?:/.test(clientId)
      ? undefined
      : 'If you entered the client_id yourself, compare it with the one that the school gave you. Otherwise only the developer of the app can fix this. Send them the details below.',
  })
}

/** Answers 400, to an app that is published by a host which the school has not permitted. */
export function unpermittedHostPage({
  reference,
  school,
  clientId,
  explanation,
  host,
}: Place & { clientId: string; explanation: string; host: string }) {
  const name = plainText(school.name) || 'this school'
  return errorPage({
    reference,
    school,
    title: 'This school does not permit this app yet',
    what: (
      <p>
        The app is published by <Address text={host} />, and {name} has not permitted apps of this
        host. {NOTHING_DONE}
      </p>
    ),
    next: (
      <>
        <p>
          An owner or admin of the school can permit <Address text={host} />: in the admin area,
          under <a href="/admin/clients">Apps and assistants</a>, Permitted hosts. Then connect the
          app again.
        </p>
        <p>
          Or enter a client_id of the school in the settings of the app. Members find theirs at{' '}
          <a href="/account/assistants">Use with an assistant</a>; owners and admins make an
          operator tool.
        </p>
      </>
    ),
    developer: { explanation, parameters: shortened({ client_id: clientId }) },
  })
}

/** Answers 400. The app is known and in order; only the one who switched it off can help. */
export function switchedOffClientPage({
  reference,
  school,
  clientId,
  explanation,
  by,
}: Place & { clientId: string; explanation: string; by: 'school' | 'administrator' }) {
  const name = plainText(school.name) || 'this school'
  const what =
    by === 'school'
      ? `This app is switched off at ${name}, so you cannot connect it.`
      : `The administrator of this server switched this app off at every school, so you cannot connect it at ${name}.`
  return errorPage({
    reference,
    school,
    title: 'This app is switched off',
    what: `${what} ${NOTHING_DONE}`,
    next:
      by === 'school' ? (
        <p>
          If you are an owner or admin of the school, you can switch it on again in the admin area,
          under <a href="/admin/clients">Apps and assistants</a>. Otherwise ask your school.
        </p>
      ) : (
        'Only the administrator of this server can switch it on again. Ask your school to contact them.'
      ),
    developer: { explanation, parameters: { client_id: clientId } },
  })
}

/** Who can register an address of an app, by the kind of its client. */
const WHO_REGISTERS = {
  application:
    'If you set this app up and the address is the one that it shows you, an owner or admin of the school can add the address to its application, in the admin area. Otherwise close this page: only the developer of the app can fix it.',
  tool: 'If you set this tool up and the address is its own, an owner or admin of the school can add the address to it, in the admin area. If you do not know the address, close this page.',
  vendor:
    'The administrator of this server registered this app for all schools, and only they can add the address. If you know the address, ask your school to send them this page. Otherwise close it.',
  document:
    'The app publishes its addresses itself, in the document that its client_id names. Only the developer of the app can correct them. Send them this page.',
}

/**
 * Answers 400. Redirecting the person would make this origin an open redirector. The address is in
 * the open, because the one who sets up an assistant has to compare it; it is text, so that it
 * leads no one there.
 *
 * @see RFC 6749 §3.1.2.4, RFC 9700 §4.11
 */
export function wrongRedirectUriPage({
  reference,
  school,
  clientId,
  redirectUri,
  kind,
}: Place & { clientId: string; redirectUri: string; kind: keyof typeof WHO_REGISTERS }) {
  return errorPage({
    reference,
    school,
    title: 'This app uses a wrong address',
    what: (
      <>
        <p>
          The app asks us to send you to an address that is not registered for it, so we stopped
          here. {NOTHING_DONE}
        </p>
        <Facts
          look="definitions"
          rows={[['The address (redirect_uri)', <Address text={oneLine(redirectUri)} />]]}
        />
      </>
    ),
    next: WHO_REGISTERS[kind],
    developer: {
      explanation:
        'redirect_uri must equal one of the registered addresses, character by character; only the port of a loopback address may differ.',
      parameters: shortened({ client_id: clientId }),
    },
  })
}

/**
 * Answers 400, for a mistake of an app that the school has not reviewed. An immediate redirect
 * would make this origin an open redirector: any site can publish a client and break its own
 * request.
 *
 * @see RFC 9700 §4.11.2
 */
export function heldRedirectPage({
  reference,
  school,
  explanation,
  location,
}: Place & { explanation: string; location: string }) {
  const { host, protocol } = new URL(location)
  const target = host || protocol
  return errorPage({
    reference,
    school,
    title: 'This app made a mistake',
    what: `An app sent you here with a request that we cannot accept. ${plainText(school.name) || 'This school'} has not reviewed this app. The app got no access.`,
    next: (
      <>
        <p>
          If you know and trust <Address text={target} />, you can go back there; the app is told
          what went wrong. If you do not know it, close this page.
        </p>
        <p>
          <a class="button button-plain" href={location}>
            <span>
              Go to <Address text={target} />
            </span>
          </a>
        </p>
      </>
    ),
    developer: { explanation, parameters: {} },
  })
}

/** Answers 400, for any other request that cannot be sent back to the app. */
export function brokenRequestPage({
  reference,
  school,
  explanation,
}: Place & { explanation: string }) {
  return appMistakePage({
    reference,
    school,
    title: 'This link does not work',
    what: 'An app sent you here with a request that we cannot read.',
    explanation,
    parameters: {},
  })
}

const NOTHING_DONE = 'We sent nothing to the app and changed nothing in your account.'

interface AppMistake extends Place {
  title: string
  what: string
  explanation: string
  parameters: Record<string, string>
  next?: string | undefined
}

function appMistakePage({ explanation, parameters, what, next, ...page }: AppMistake) {
  return errorPage({
    ...page,
    what: `${what} ${NOTHING_DONE}`,
    next: next ?? 'Only the developer of the app can fix this. Send them the details below.',
    developer: { explanation, parameters: shortened(parameters) },
  })
}

/** A developer knows a value by its beginning. */
function shortened(parameters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, oneLine(value)]),
  )
}
