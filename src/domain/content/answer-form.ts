import { sql } from 'kysely'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { addressBuckets } from '../../foundation/net/address-buckets.ts'
import { countTry, type ThrottleLimit, uncountTries } from '../people/throttle.ts'
import type { Answer } from './answer-rules.ts'
import type { Question } from './form-rules.ts'

/** A form as people see it. */
export interface PublicForm {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly questions: readonly Question[]
  readonly isOpen: boolean
  /** Only members answer it, each of them once. */
  readonly oncePerMember: boolean
  /** Whether this member has answered it. */
  readonly isAnswered: boolean
}

interface FormRow extends Omit<PublicForm, 'questions'> {
  readonly fields: readonly Readonly<Record<string, unknown>>[]
}

/** A form that is open, or was. A draft is found only for the preview of an operator. */
export async function findPublicForm(
  at: SchoolDb,
  slug: string,
  userId: string | null,
  isPreview = false,
): Promise<PublicForm | undefined> {
  const { rows } = await at.run(sql<FormRow>`
    select f.id, f.slug, f.title, f.fields, f.state = 'open' as "isOpen", f.once_per_member as "oncePerMember",
      exists (
        select from form_submissions s
        where s.school_id = f.school_id and s.user_id = ${userId} and s.form_id = f.id) as "isAnswered"
    from forms f
    where f.school_id = ${at.schoolId} and f.slug = ${slug}
      ${isPreview ? sql`` : sql`and f.state in ('open', 'closed')`}`)
  const [row] = rows
  if (row === undefined) return undefined
  const { fields, ...form } = row
  return { ...form, questions: fields.flatMap(questionFrom) }
}

/** Forms of an import may lack members. A question without a name cannot be answered. */
function questionFrom({ name, label, kind, required }: FormRow['fields'][number]): Question[] {
  if (typeof name !== 'string' || name === '') return []
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return [{ name, label: text(label) || name, kind: text(kind), required: required === true }]
}

type Refusal = 'closed' | 'members_only' | 'answered'

export type AnswerOutcome =
  | { readonly kind: 'sent' | Refusal }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

interface Sender {
  /** Null for a person who is no member of the school. */
  readonly userId: string | null
  readonly address: string
}

const WINDOW_MINUTES = 60

/** Answers in an hour: of one member, of visitors of one address, which may be a class room, and of all visitors of a school. */
const MOST = { member: 20, address: 60, visitors: 1000 } as const

/**
 * Why the form takes no answers of this person, as it was just read. Such answers are neither judged nor counted: otherwise
 * posts to a closed form would use up what the visitors of all other forms have.
 */
export function refusalOf(form: PublicForm, userId: string | null): Refusal | undefined {
  if (!form.isOpen) return 'closed'
  if (!form.oncePerMember) return undefined
  if (userId === null) return 'members_only'
  return form.isAnswered ? 'answered' : undefined
}

/** Stores the answers of one person to a form. */
export async function answerForm(
  at: SchoolDb,
  throttleKey: Buffer,
  form: Pick<PublicForm, 'id'>,
  sender: Sender,
  answers: Readonly<Record<string, Answer>>,
): Promise<AnswerOutcome> {
  const db = acrossSchools(at)
  const limits = answerCounters(throttleKey, at.schoolId, sender)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    // A refused answer does not use up the allowance of others.
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  return await at.transaction(async (tx) => {
    // Locked, so that two answers of one member at the same time cannot both be the first.
    const { rows } = await tx.run(sql<{ once: boolean }>`
      select once_per_member as once from forms
      where school_id = ${tx.schoolId} and id = ${form.id} and state = 'open' for no key update`)
    const [open] = rows
    if (open === undefined) return { kind: 'closed' }
    if (open.once && sender.userId === null) return { kind: 'members_only' }
    const { rows: made } = await tx.run(sql`
      insert into form_submissions (school_id, id, form_id, user_id, answers)
      select ${tx.schoolId}::uuid, ${uuidv7()}::uuid, ${form.id}::uuid, ${sender.userId}::uuid,
        ${JSON.stringify(answers)}::jsonb
      where not (${open.once}::boolean and exists (
        select from form_submissions s
        where s.school_id = ${tx.schoolId} and s.user_id = ${sender.userId} and s.form_id = ${form.id}))
      returning id`)
    return { kind: made.length > 0 ? 'sent' : 'answered' }
  })
}

function answerCounters(key: Buffer, schoolId: string, sender: Sender): ThrottleLimit[] {
  const limit = (name: string, failures: number) => ({
    bucket: hmacSha256(key, `form-answer:${schoolId}:${name}`),
    failures,
  })
  if (sender.userId !== null) return [limit(`member:${sender.userId}`, MOST.member)]
  return [
    ...addressBuckets(sender.address).map(({ name, times }) =>
      limit(`address:${name}`, MOST.address * times),
    ),
    limit('visitors', MOST.visitors),
  ]
}
