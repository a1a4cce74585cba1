import fc from 'fast-check'
import { aStory, disturbedSteps, type StoryCommand, tryEverything } from '../commands.ts'
import type { Participants } from '../real-server.ts'
import type { DisturbedServers } from './disturbed-servers.ts'

const TRACES = fc.array(disturbedSteps(), { minLength: 6, maxLength: 18, size: 'max' })

/** The steps of a trace depend on its number alone. */
export function traceOf(number: number): readonly StoryCommand[] {
  const [steps = []] = fc.sample(TRACES, { seed: number, numRuns: 1 })
  return steps
}

/** Runs a trace on the servers; throws at the first difference from the model. */
export async function runTrace(
  steps: readonly StoryCommand[],
  participants: Participants,
  servers: DisturbedServers,
): Promise<void> {
  const { model, real } = await aStory(participants, servers)
  for (const step of steps) await step.run(model, real)
  await tryEverything(model, real)
}
