import { z } from 'zod'
import { parseHostPattern } from '../../foundation/net/fetch-target.ts'
import { HOST_LABEL, parseUrl } from '../../foundation/net/parse-url.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { currency, email, line, text } from '../operation/fields.ts'

const origin = z.string().superRefine((given, context) => {
  const read = parseOrigin(given)
  if (!read.ok) context.addIssue({ code: 'custom', message: read.problem })
})

const hostPattern = z.string().superRefine((given, context) => {
  if (parseHostPattern(given) !== undefined) return
  context.addIssue({
    code: 'custom',
    message: `"${oneLine(given, 100)}" is no host. Write app.example.com, or *.example.com for all hosts below it.`,
  })
})

const hostPatterns = z.array(hostPattern).max(100, 'List at most 100 hosts.')

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Fields that apps may change too. */
export const publicFields = {
  name: line(200),
  description: text(0, 5000),
  contact_email: email
    .nullable()
    .meta({ description: 'Public: it is the contact in `/openapi.json`.' }),
  locale: z
    .string()
    .max(40)
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Write a language tag such as en or pt-BR.'),
  time_zone: text(1, 64).refine(isTimeZone, 'Write a time zone such as Europe/Lisbon or UTC.'),
  currency: currency.meta({
    description: 'The currency of new prices; existing prices keep theirs.',
  }),
}

/** Every setting of a school, by the name of its column. */
export const schoolChanges = z
  .strictObject({
    subdomain: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'Use 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end.',
      ),
    origin,
    ...publicFields,
    variant: z.enum(['newer', 'older'], { error: 'Write newer or older.' }),
    mcp_connections: z.boolean(),
    open_registration: z.boolean(),
    document_hosts: hostPatterns,
    end_authorization_on_replay: z.boolean(),
    sign_up: z.boolean(),
    invites_people: z.boolean(),
    video_hosts: hostPatterns,
    quiet_causes: z.array(z.string().regex(/^[a-z_]{1,64}$/)).max(100),
  })
  .partial()

export const newSchool = schoolChanges.required({ subdomain: true, origin: true, name: true })

export type SchoolChanges = z.output<typeof schoolChanges>
export type NewSchool = z.output<typeof newSchool>

/** The given details as they are stored, each in its normal form. */
export function columnsOf<C extends SchoolChanges>(changes: C): C {
  const { name, description, origin: address, document_hosts, video_hosts } = changes
  const spelled = {
    ...changes,
    name: name?.trim(),
    description: description?.trim(),
    origin: address === undefined ? undefined : spellOrigin(address),
    document_hosts: spellHosts(document_hosts),
    video_hosts: spellHosts(video_hosts),
  }
  const given = Object.entries(spelled).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as C
}

function spellHosts(given: readonly string[] | undefined): string[] | undefined {
  return given?.flatMap((host) => parseHostPattern(host) ?? [])
}

function spellOrigin(given: string): string | undefined {
  const read = parseOrigin(given)
  return read.ok ? read.origin : undefined
}

export type OriginReading =
  | { readonly ok: true; readonly origin: string }
  /** A sentence for the person who typed it. */
  | { readonly ok: false; readonly problem: string }

const HOST = new RegExp(`^(?:${HOST_LABEL}(?:\\.${HOST_LABEL})*|\\[[0-9a-f:]+\\])$`)
const MAX_HOST = 253

/** Hosts that never leave the machine or, like `.test`, never exist on the internet (RFC 6761). */
const PRIVATE_HOST = /^(?:localhost|.+\.localhost|.+\.test|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Reads an origin as a person types it and returns the normal form that requests are compared with:
 * lower case, no default port, no trailing dot or slash. Plain http is only for this machine and
 * for tests, because everything that an authorization server sends must use TLS.
 *
 * @see RFC 6454 §6.2, RFC 8414 §2, RFC 6749 §3.1
 */
export function parseOrigin(text: string): OriginReading {
  const typed = text.trim()
  const match = /^(https?):\/\/([^/?#@\\\s]+)\/?$/i.exec(typed)
  const [, scheme = '', authority = ''] = match ?? []
  const url = parseUrl(`${scheme}://${authority}`)
  if (url === undefined) {
    return refused('Write only scheme, host and port, such as https://school.example.')
  }
  const { hostname, port } = url
  const host = hostname.replace(/\.$/, '')
  if (host.length > MAX_HOST || !HOST.test(host)) {
    return refused('The host is not a valid host name.')
  }
  const secure = scheme.toLowerCase() === 'https'
  if (!secure && !PRIVATE_HOST.test(host)) {
    return refused(
      'Use https. Plain http is only for this machine (localhost, 127.0.0.1) and for names that end in .localhost or .test.',
    )
  }
  return {
    ok: true,
    origin: `${secure ? 'https' : 'http'}://${host}${port === '' ? '' : `:${port}`}`,
  }
}

const refused = (problem: string): OriginReading => ({ ok: false, problem })
