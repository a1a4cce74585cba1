import fc from 'fast-check'
import type { World } from '../../support/world.ts'
import { aStory, disturbedSteps, firstStep, type StoryCommand, tryEverything } from '../commands.ts'
import { Participants } from '../participants.ts'
import { DisturbedServers } from './disturbed-servers.ts'

/** Most steps need a token, so each trace begins with one. */
const TRACES = fc
  .tuple(firstStep(), fc.array(disturbedSteps(), { minLength: 3, maxLength: 9, size: 'max' }))
  .map(([first, others]) => [first, ...others])
/** So many run at the same time. */
const STORIES = 64
/** The rows of a client grow with its stories. */
const STORIES_PER_CLIENT = 50

/** The steps of a trace depend on its number alone. */
export function traceOf(number: number): readonly StoryCommand[] {
  const [steps = []] = fc.sample(TRACES, { seed: number, numRuns: 1 })
  return steps
}

export interface TraceEnd {
  readonly trace: number
  readonly steps: number
  readonly disturbed: number
  /** What the server did other than the model, and the steps. */
  readonly difference: string | undefined
}

/**
 * Places for stories. Those that run at the same time share servers and database, and nothing that
 * a step can change: each place has its own two schools, with their members and clients. Stories of
 * one place follow each other.
 */
export class Traces {
  readonly servers: DisturbedServers
  readonly #places: readonly Participants[]

  private constructor(servers: DisturbedServers, places: readonly Participants[]) {
    this.servers = servers
    this.#places = places
  }

  static async prepare(world: World, stories = STORIES): Promise<Traces> {
    const places: Participants[] = []
    while (places.length < stories) places.push(await Participants.gather(world))
    return new Traces(await DisturbedServers.start(world), places)
  }

  /** Runs the traces of these numbers; each begins when a place is free. */
  async run(numbers: Generator<number>, onEnd: (end: TraceEnd) => void): Promise<void> {
    const inPlace = async (participants: Participants): Promise<void> => {
      let stories = 0
      for (let next = numbers.next(); !next.done; next = numbers.next()) {
        onEnd(await this.#runOne(next.value, participants))
        stories += 1
        if (stories % STORIES_PER_CLIENT === 0) participants.forgetClients()
      }
    }
    await Promise.all(this.#places.map((place) => this.servers.during(() => inPlace(place))))
  }

  async #runOne(trace: number, participants: Participants): Promise<TraceEnd> {
    const steps = traceOf(trace)
    const difference = await this.#follow(steps, participants).then(
      () => undefined,
      (error: unknown) => `${`${error}`.slice(0, 2000)}\n${steps.map(String).join(', ')}`,
    )
    const disturbed = steps.filter((step) => `${step}`.includes('disturbed')).length
    return { trace, steps: steps.length, disturbed, difference }
  }

  async #follow(steps: readonly StoryCommand[], participants: Participants): Promise<void> {
    const { model, real } = await aStory(participants, this.servers)
    for (const step of steps) await step.run(model, real)
    await tryEverything(model, real)
  }
}

export function* range(from: number, to: number): Generator<number> {
  for (let number = from; number < to; number++) yield number
}
