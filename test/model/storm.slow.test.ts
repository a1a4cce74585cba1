import fc from 'fast-check'
import { verifies } from '../spec/verifies.ts'
import { aWorld } from '../support/world.ts'
import { effort, seed, timeout } from './effort.ts'
import { Storm, stormActs } from './storm.ts'

const world = await aWorld({
  limits: {
    tokenPerSecond: 100_000,
    registrationPerMinute: 1000,
    documentPerMinute: 1000,
    toolCallsPerMinute: 1000,
    apiCallsPerMinute: 1000,
    uploadBytes: 1_000_000,
  },
})
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

verifies(
  ['pair.concurrent.no-deadlock', 'pair.revoke.spares-siblings'],
  'the answers to simultaneous requests fit some order of them, and no revocation is lost',
  async () => {
    const batches = fc.array(fc.array(stormActs(), { minLength: 2, maxLength: 8 }), {
      maxLength: 15,
      size: 'max',
    })
    await fc.assert(
      fc.asyncProperty(batches, async (story) => {
        const storm = new Storm(world, school, client, ada)
        for (const batch of story) await Promise.all(batch.map((act) => storm.act(act)))
        await storm.check()
      }),
      { numRuns: 15 * effort, ...seed },
    )
  },
  timeout,
)

verifies(
  ['pair.concurrent.no-deadlock', 'trouble.parallel-refresh-errors'],
  'ten workers with a thousand requests: no deadlock, no 5xx, and only the right pairs are revoked',
  async () => {
    const acts = fc.sample(stormActs(), { numRuns: 1000 * effort, ...seed })
    const storm = new Storm(world, school, client, ada)
    const worker = async (): Promise<void> => {
      for (let act = acts.pop(); act !== undefined; act = acts.pop()) await storm.act(act)
    }
    await Promise.all(Array.from({ length: 10 }, worker))
    await storm.check()
  },
  timeout,
)
