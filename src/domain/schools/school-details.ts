import { z } from 'zod'
import { oneLine } from '../../foundation/text/one-line.ts'
import { parseHostPattern } from '../clients/metadata/permitted-host.ts'
import { currency, email, line, text } from '../operation/fields.ts'
import { parseOrigin } from './school-origin.ts'

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
