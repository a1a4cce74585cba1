import { createHmac } from 'node:crypto'
import { type Answer, hiddenFields, Visitor } from './browser-like.ts'
import { submit } from './operator-like.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

const SETUP = '/account/second-factor/new'
const CODE = '/sign-in/code'
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * An authenticator app of another author than the server: it reads the key of the page and shows
 * codes.
 */
export class TestAuthenticator {
  readonly #secret: Buffer

  constructor(key: string) {
    const bits = [...key.replaceAll(' ', '')]
      .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
      .join('')
    this.#secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  }

  secretHex(): string {
    return this.#secret.toString('hex')
  }

  /** The code of a step of 30 seconds, counted from now. */
  code(stepsFromNow = 0): string {
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsFromNow))
    const mac = createHmac('sha1', this.#secret).update(counter).digest()
    const at = mac.readUInt32BE((mac[19] as number) & 15) & 0x7fffffff
    return String(at % 1_000_000).padStart(6, '0')
  }

  /** A code that is wrong now and in the steps around. */
  wrongCode(other = 0): string {
    const right = [-2, -1, 0, 1, 2].map((step) => this.code(step))
    const all = Array.from({ length: 20 }, (_, n) => String(111_111 + n + other * 20))
    return all.find((code) => !right.includes(code)) as string
  }
}

export interface SecondFactorOf {
  readonly key: string
  readonly app: TestAuthenticator
  readonly recoveryCodes: readonly string[]
}

export function keyOn(page: Answer): string {
  return /<code>([A-Z2-7 ]+)<\/code>/.exec(page.body)?.[1] ?? ''
}

export function recoveryCodesOn(page: Answer): readonly string[] {
  // Once on the page, and once in the link that downloads them.
  return [...new Set(page.body.match(/\d{4}(?:-\d{4}){4}/g))]
}

/** Switches the second factor on in a browser that is signed in. */
export async function switchOn(visitor: Visitor): Promise<SecondFactorOf> {
  const page = await visitor.get(SETUP)
  const key = keyOn(page).replaceAll(' ', '')
  const app = new TestAuthenticator(key)
  const fields = { ...hiddenFields(page.body, SETUP), code: app.code() }
  const done = await visitor.post(SETUP, fields)
  if (done.statusCode !== 200) throw new Error(`not switched on: ${done.statusCode} ${done.body}`)
  return { app, key, recoveryCodes: recoveryCodesOn(done) }
}

/** A person whose second factor is on. No code of it counts as used. */
export async function withSecondFactor(
  world: World,
  school: TestSchool,
  person: TestPerson,
): Promise<SecondFactorOf> {
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person)
  const factor = await switchOn(visitor)
  await submit(visitor, '/account', '/sign-out')
  await noCodeUsed(world, person)
  return factor
}

/** From now on, no code of the person counts as used. */
export async function noCodeUsed(world: World, { id }: TestPerson): Promise<void> {
  await world.database.db
    .updateTable('authenticators')
    .set({ last_step: 0 })
    .where('user_id', '=', id)
    .execute()
}

/** Sends the form of the page that asks for a code. */
export async function enterCode(
  visitor: Visitor,
  page: Answer,
  code: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  return await visitor.post(CODE, { ...hiddenFields(page.body, CODE), code, ...more })
}

/** Types the password; the answer is the page that asks for the code. */
export async function enterPassword(
  visitor: Visitor,
  person: TestPerson,
  typed?: string,
): Promise<Answer> {
  return await visitor.signIn(await visitor.get('/sign-in'), person, typed)
}
