import { sql } from 'kysely'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { addressBuckets } from '../../foundation/net/address.ts'
import { EMAIL_WORDS, email } from '../operation/fields.ts'
import { countTry, type ThrottleLimit, uncountTries } from '../people/sign-in-counters.ts'
import type { Question } from './form-operations.ts'

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
  db: SchoolDb,
  slug: string,
  userId: string | null,
  isPreview = false,
): Promise<PublicForm | undefined> {
  const { rows } = await db.run(sql<FormRow>`
    select f.id, f.slug, f.title, f.fields, f.state = 'open' as "isOpen", f.once_per_member as "oncePerMember",
      exists (
        select from form_submissions s
        where s.school_id = f.school_id and s.user_id = ${userId} and s.form_id = f.id) as "isAnswered"
    from forms f
    where f.school_id = ${db.schoolId} and f.slug = ${slug}
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

/**
 * Answers in an hour: of one member, of visitors of one address, which may be a class room, and of
 * all visitors of a school.
 */
const MOST = { member: 20, address: 60, visitors: 1000 } as const

/**
 * Why the form takes no answers of this person, as it was just read. Such answers are neither
 * judged nor counted: otherwise posts to a closed form would use up what the visitors of all other
 * forms have.
 */
export function refusalOf(form: PublicForm, userId: string | null): Refusal | undefined {
  if (!form.isOpen) return 'closed'
  if (!form.oncePerMember) return undefined
  if (userId === null) return 'members_only'
  return form.isAnswered ? 'answered' : undefined
}

/** Stores the answers of one person to a form. */
export async function answerForm(
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  form: Pick<PublicForm, 'id'>,
  sender: Sender,
  answers: Readonly<Record<string, Answer>>,
): Promise<AnswerOutcome> {
  const db = acrossSchools(schoolDb)
  const limits = answerCounters(throttleKey, schoolDb.schoolId, sender)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    // A refused answer does not use up the allowance of others.
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  return await schoolDb.transaction(async (tx) => {
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

/**
 * The kinds of questions whose answers are checked. Imported forms may have others: those are
 * answered by a line.
 */
export const QUESTION_KINDS = ['text', 'long_text', 'number', 'email', 'yes_no'] as const

/** The most characters of an answer. */
export const LONGEST = { text: 1000, long_text: 10_000 } as const

type Answer = string | number | boolean

/** What is wrong with the answers, by the name of the question. */
export type AnswerProblems = ReadonlyMap<string, string>

export type Judged =
  | { readonly answers: Readonly<Record<string, Answer>> }
  | { readonly problems: AnswerProblems }

/**
 * Checks what a person typed, by the name of the question. A question without an answer is left
 * out.
 */
export function judgeAnswers(
  questions: readonly Question[],
  typed: (name: string) => string,
): Judged {
  const answers: [string, Answer][] = []
  const problems = new Map<string, string>()
  for (const question of questions) {
    const text = typed(question.name).replaceAll('\r\n', '\n').trim()
    if (text === '') {
      if (question.required) problems.set(question.name, 'Please answer this question.')
      continue
    }
    const judged = judgeAnswer(question.kind, text)
    if ('problem' in judged) problems.set(question.name, judged.problem)
    else answers.push([question.name, judged.answer])
  }
  // Not by assignment: a question may have the name __proto__.
  return problems.size > 0 ? { problems } : { answers: Object.fromEntries(answers) }
}

function judgeAnswer(
  kind: string,
  text: string,
): { readonly answer: Answer } | { readonly problem: string } {
  if (kind === 'yes_no') {
    return text === 'yes' || text === 'no'
      ? { answer: text === 'yes' }
      : { problem: 'Choose yes or no.' }
  }
  if (kind === 'number') return judgeNumber(text)
  if (kind === 'email') {
    const judged = email.safeParse(text)
    return judged.success
      ? { answer: judged.data }
      : { problem: judged.error.issues[0]?.message ?? EMAIL_WORDS }
  }
  const most = kind === 'long_text' ? LONGEST.long_text : LONGEST.text
  return text.length > most
    ? { problem: `Write at most ${most} characters.` }
    : { answer: kind === 'long_text' ? text : text.replace(/\s+/g, ' ') }
}

/**
 * Every decimal number of so many digits is kept exactly as it was typed (IEEE 754, double
 * precision).
 */
const MOST_DIGITS = 15

/** A number is never stored as another one than the person meant. */
function judgeNumber(text: string): { readonly answer: Answer } | { readonly problem: string } {
  const [, sign = '', whole = '', part = ''] =
    /^([+-]?)(\d{1,15})(?:[.,](\d{1,15}))?$/.exec(text) ?? []
  const shortPart = part.replace(/0{1,15}$/, '')
  const digits = `${whole}${shortPart}`.replace(/^0+/, '')
  if (whole === '' || digits.length > MOST_DIGITS) {
    return { problem: `Write a number of at most ${MOST_DIGITS} digits, such as 4 or 2.5.` }
  }
  // 1,500 is a thousand and a half thousand to some people, and one and a half to others.
  if (part.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) {
    const decimal = shortPart.length === 3 ? `${part}0` : shortPart
    const other = decimal === '' ? whole : `${whole}.${decimal}`
    return {
      problem: `This can be read in two ways. Write ${sign}${whole}${part} or ${sign}${other}.`,
    }
  }
  return { answer: Number(`${sign}${whole}.${part || '0'}`) }
}
