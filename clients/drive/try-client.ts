import { setTimeout as sleep } from 'node:timers/promises'
import type { Application } from '../recipes/application.ts'
import type { DemoPlace } from './demo-place.ts'
import type { Findings, Step, Trial, TriedClient } from './tried-client.ts'

/** Something that the recipe promises and the client did not do. */
class Broken extends Error {}

const STEPS = {
  async logsIn({ client, place }: Scene): Promise<string> {
    await client.signIn()
    await expectAda(client)
    if (!place.between.seen.some(({ grantType }) => grantType === 'authorization_code')) {
      throw new Broken('no code was exchanged')
    }
    return 'yes'
  },

  async refreshes(scene: Scene): Promise<string> {
    const { client, place } = scene
    const before = place.between.refreshes.length
    await renew(scene)
    const made = place.between.refreshes.slice(before)
    if (made.length === 0) throw new Broken('it sent no refresh')
    await expectAda(client)
    return client.refresh === undefined ? 'by itself' : 'by a call'
  },

  async lostAnswer(scene: Scene): Promise<string> {
    const { client, place } = scene
    const before = place.between.refreshes.length
    place.between.loseNextRefresh()
    const failure = await renew(scene).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (place.between.isLosing) throw new Broken('it sent no refresh that could be lost')
    const wasSilent = place.between.refreshes.length - before < 2
    if (wasSilent) await renew(scene)
    await expectAda(client)
    const [lost, repeated] = place.between.refreshes.slice(before)
    if (lost === undefined || repeated?.refreshToken !== lost.refreshToken) {
      throw new Broken('it did not send the same refresh token again')
    }
    return failure === undefined ? 'yes, unnoticed' : 'yes, at the next call'
  },

  async signsOut({ client, place, app }: Scene): Promise<string> {
    await client.signOut()
    if (!(await place.isSignedOut(app))) throw new Broken('the refresh token still works')
    return 'yes'
  },
} satisfies Record<Step, (scene: Scene) => Promise<string>>

interface Scene {
  readonly trial: Trial
  readonly place: DemoPlace
  readonly app: Application
  readonly client: TriedClient
}

/** Brings the client to a new access token, in the way in which it does that. */
async function renew({ trial, place, client }: Scene): Promise<void> {
  if (client.refresh !== undefined) return await client.refresh()
  const before = place.between.refreshes.length
  if (trial.refreshesAfter === 'refusal') place.between.spoilNextBearer()
  else await sleep(1100)
  await expectAda(client)
  // A client with a timer refreshes without a call.
  for (let tries = 0; tries < 100 && place.between.refreshes.length === before; tries++) {
    await sleep(100)
  }
}

async function expectAda(client: TriedClient): Promise<void> {
  const answer = await client.me()
  if (!answer.includes('Ada')) throw new Broken(`instead of Ada's data: ${answer.slice(0, 300)}`)
}

/** Takes the client through all steps. Throws if one differs from what its trial says. */
export async function tryClient(place: DemoPlace, trial: Trial): Promise<Findings> {
  const app = await place.prepare(trial)
  if (typeof trial.refreshesAfter === 'number') place.between.lifetime = trial.refreshesAfter
  const client = await within(`${trial.name}, start`, trial.start(place, app))
  const findings: Partial<Record<Step, string>> = {}
  try {
    for (const [step, take] of Object.entries(STEPS) as [Step, (typeof STEPS)[Step]][]) {
      const taken = takeStep(step, take, { trial, place, app, client })
      findings[step] = await within(`${trial.name}, ${step}`, taken)
    }
  } finally {
    await within(`${trial.name}, close`, client.close?.())
  }
  return findings as Findings
}

/** Several times what the slowest client needs. */
const LIMIT_SECONDS = 180

/** The next client is tried even if this one hangs. */
async function within<T>(what: string, work: Promise<T> | T): Promise<T> {
  const done = new AbortController()
  const limit = sleep(LIMIT_SECONDS * 1000, undefined, { signal: done.signal }).then(() => {
    throw new Error(`${what}: no end after ${LIMIT_SECONDS} seconds`)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    done.abort()
  }
}

async function takeStep(
  step: Step,
  take: (scene: Scene) => Promise<string>,
  scene: Scene,
): Promise<string> {
  const limit = scene.trial.cannot?.[step]
  const outcome = await take(scene).catch((error: unknown) => {
    if (limit !== undefined) return undefined
    throw new Error(`${scene.trial.name}, ${step}: ${String(error)}`, { cause: error })
  })
  if (outcome === undefined) return `no: ${limit}`
  if (limit === undefined) return scene.trial.words[step] ?? outcome
  throw new Error(`${scene.trial.name} can do this now (${step}): remove it from \`cannot\`.`)
}
