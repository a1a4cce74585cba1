import { hash, verify } from '@node-rs/argon2'

/** OWASP's argon2id parameters; about ten milliseconds on the thread pool. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Longer passwords only serve to burn our CPU. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * libuv's pool has four threads: two hashes at a time leave room for the file and DNS work that
 * shares it. The queue is bounded, so that a storm of sign-ins is refused instead of piling up.
 */
const MAX_RUNNING = 2
const MAX_WAITING = 64

/** More sign-ins are under way than the machine can hash; the caller answers 503. */
export class PasswordHashingBusy extends Error {
  override readonly name = 'PasswordHashingBusy'
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<R>(work: () => Promise<R>): Promise<R> {
  if (running >= MAX_RUNNING) {
    if (waiting.length >= MAX_WAITING) throw new PasswordHashingBusy('too many sign-ins at once')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else {
    running++
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

export function isHashablePassword(password: string): boolean {
  return password.length > 0 && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, PARAMETERS))
}

/**
 * What unknown accounts are checked against, so that their refusal takes as long. It is a hash of
 * random bytes that nobody kept.
 */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$c2Nob29sZ2F0ZS1ub2JvZHk$3nKq0bT0PZr9bq4mP8cV2Jw6l1sQx0aYd5fG7hN8uEk'

/** True only if there is a hash and it fits; an absent hash costs the same time. */
export async function verifyPassword(
  stored: string | undefined | null,
  password: string,
): Promise<boolean> {
  if (!isHashablePassword(password)) return false
  const fits = await inTurn(() => verify(stored ?? NOBODY, password))
  return fits && stored !== undefined && stored !== null
}
