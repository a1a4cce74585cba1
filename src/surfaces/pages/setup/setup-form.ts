import { z } from 'zod'
import { type InputProblem, judgeInput } from '../../../domain/operation/refusal.ts'
import { addedPerson } from '../../../domain/people/member-operations.ts'
import { findPasswordProblem } from '../../../domain/people/password-strength.ts'
import { columnsOf, type NewSchool, newSchool } from '../../../domain/schools/school-details.ts'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { passwordProblem } from '../views/password-words.ts'
import type { SetupField, SetupProblems, SetupValues } from '../views/setup.tsx'

const SHORT_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The form before the person typed anything: the address is the one in their browser. */
export function suggestedValues(origin: string): SetupValues {
  const [label = ''] = new URL(origin).hostname.split('.')
  const subdomain = SHORT_NAME.test(label) && /[a-z]/.test(label) ? label : 'school'
  return { school_name: '', origin, subdomain, name: '', email: '' }
}

export interface SetupRequest {
  readonly code: string
  readonly password: string
  readonly values: SetupValues
}

export function readSetupForm(form: URLSearchParams): SetupRequest {
  const text = (name: SetupField) => (form.get(name) ?? '').trim()
  return {
    code: text('code'),
    // Not trimmed: spaces belong to a password.
    password: form.get('password') ?? '',
    values: {
      school_name: text('school_name'),
      origin: text('origin'),
      subdomain: text('subdomain'),
      name: text('name'),
      email: text('email'),
    },
  }
}

type JudgedSetup =
  | { readonly school: NewSchool; readonly owner: { email: string; name: string } }
  | { readonly problems: SetupProblems }

/** Judged before the code, so that a mistyped field does not cost one of its tries. */
export async function judgeSetup({ code, password, values }: SetupRequest): Promise<JudgedSetup> {
  const { school_name: schoolName, origin, subdomain, name, email } = values
  const school = judgeInput(newSchool, { name: schoolName, origin, subdomain })
  const owner = judgeInput(z.strictObject(addedPerson), { name, email })
  // An address that cannot be read has its own problem, and no host that a password could repeat.
  const place = { name: schoolName, origin: parseUrl(origin) ? origin : 'http://localhost' }
  const unfit = await findPasswordProblem(password, { email, name, school: place })
  const problems: SetupProblems = {
    ...(code === '' ? { code: 'Type the code from the log.' } : {}),
    ...fieldProblems(school.problems, { name: 'school_name' }),
    ...fieldProblems(owner.problems),
    ...(unfit === undefined ? {} : { password: passwordProblem(unfit) }),
  }
  if (school.problems !== undefined || owner.problems !== undefined) return { problems }
  if (Object.keys(problems).length > 0) return { problems }
  return { school: columnsOf(school.data), owner: owner.data }
}

function fieldProblems(
  problems: readonly InputProblem[] = [],
  names: Readonly<Record<string, SetupField>> = {},
): SetupProblems {
  return Object.fromEntries(
    problems.map(({ pointer, detail }) => {
      const field = pointer.slice(1)
      return [names[field] ?? field, detail]
    }),
  )
}
