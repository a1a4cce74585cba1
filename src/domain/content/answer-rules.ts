import { EMAIL_WORDS, email } from '../operation/fields.ts'
import type { Question } from './form-rules.ts'

/** The kinds of questions whose answers are checked. Imported forms may have others: those are answered by a line. */
export const QUESTION_KINDS = ['text', 'long_text', 'number', 'email', 'yes_no'] as const

/** The most characters of an answer. */
export const LONGEST = { text: 1000, long_text: 10_000 } as const

export type Answer = string | number | boolean

/** What is wrong with the answers, by the name of the question. */
export type AnswerProblems = ReadonlyMap<string, string>

export type Judged =
  | { readonly answers: Readonly<Record<string, Answer>> }
  | { readonly problems: AnswerProblems }

/** Checks what a person typed, by the name of the question. A question without an answer is left out. */
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

/** Every decimal number of so many digits is kept exactly as it was typed (IEEE 754, double precision). */
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
