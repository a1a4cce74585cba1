import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { judgeInput } from '../../../domain/operation/refusal.ts'
import { addedPerson } from '../../../domain/people/member-operations.ts'
import { readName } from '../../../domain/people/profile.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { provenBrowsers } from '../page-request.ts'
import type { SignUpProblems } from '../views/sign-up/sign-up.tsx'

export const SIGN_UP_PATH = '/sign-up'

/** The school is cached, so a school without sign-up answers without any statement. */
export function checkSignUpIsOn({ school }: FastifyRequest): void {
  if (school.signUp) return
  const what = 'This school does not let people sign up. Ask the school for an account.'
  throw new RequestRefusedError(404, what)
}

/** A digest of the cookie of a browser before sign-in; empty if it has none. */
export function browserOf(request: FastifyRequest): string {
  const [cookie] = provenBrowsers(request, undefined)
  return cookie === undefined ? '' : sha256(cookie).toString('base64url')
}

const shape = z.strictObject(addedPerson)

type Typed = z.output<typeof shape>

export function judgeTyped(typed: Typed): Typed | { readonly problems: SignUpProblems } {
  const judged = judgeInput(shape, typed)
  if (judged.problems === undefined) {
    return { email: judged.data.email, name: judged.data.name.trim() }
  }
  const problems = judged.problems.map(({ pointer, detail }) => [pointer.slice(1), detail])
  const name = readName(typed.name)
  return {
    problems: {
      ...Object.fromEntries(problems),
      ...('problem' in name ? { name: name.problem } : {}),
    },
  }
}
