import { z } from 'zod'
import { parseHostPattern } from '../clients/document/permitted-host.ts'
import { parseOrigin } from './school-origin.ts'

const origin = z.string().transform((text, context) => {
  const read = parseOrigin(text)
  if (read.ok) return read.origin
  context.addIssue({ code: 'custom', message: read.problem })
  return z.NEVER
})

const hostPattern = z.string().transform((text, context) => {
  const host = parseHostPattern(text)
  if (host !== undefined) return host
  context.addIssue({
    code: 'custom',
    message: `"${text}" is no host. Write app.example.com, or *.example.com for all hosts below it.`,
  })
  return z.NEVER
})

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const onlyText = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min, `Write ${min === 1 ? 'at least one character' : `${min} characters or more`}.`)
    .max(max, `Use at most ${max} characters.`)
    .regex(/^[^\0]*$/, 'Remove the null character.')

/** Everything that can be said about a school, each with the sentence that refuses a wrong value. */
const fields = {
  subdomain: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      'Use 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end.',
    ),
  origin,
  name: onlyText(1, 200),
  description: onlyText(0, 5000),
  contactEmail: z
    .email('Write one email address.')
    .max(320, 'Use at most 320 characters.')
    .nullable(),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Write a language tag such as en or pt-BR.'),
  timeZone: z
    .string()
    .max(64, 'Use at most 64 characters.')
    .refine(isTimeZone, 'Write a time zone such as Europe/Lisbon or UTC.'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'Write a currency code of three letters, such as EUR.'),
  variant: z.enum(['newer', 'older'], { error: 'Write newer or older.' }),
  mcpConnections: z.boolean(),
  openRegistration: z.boolean(),
  documentHosts: z.array(hostPattern).max(100, 'List at most 100 hosts.'),
  endAuthorizationOnReplay: z.boolean(),
}

export const schoolChanges = z.object(fields).partial()
export const newSchool = schoolChanges.required({ subdomain: true, origin: true, name: true })

/** What a caller may bring; wrong values come back as problems, they are never thrown. */
export type SchoolChanges = z.input<typeof schoolChanges>
export type NewSchool = z.input<typeof newSchool>

export interface FieldProblem {
  readonly field: string
  readonly problem: string
}

export function fieldProblems(error: z.ZodError): readonly FieldProblem[] {
  return error.issues.map(({ path, message }) => ({
    field: String(path[0] ?? ''),
    problem: message,
  }))
}
