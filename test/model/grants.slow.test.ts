import fc from 'fast-check'
import { verifies } from '../spec/verifies.ts'
import { aWorld } from '../support/world.ts'
import { aStory, storySteps, tryEverything } from './commands.ts'
import { effort, seed, timeout } from './effort.ts'
import { Participants } from './participants.ts'

const participants = await Participants.gather(await aWorld())

verifies(
  [
    'pair.live.both-rows',
    'pair.authorize.adds',
    'pair.refresh.old-stays-live',
    'pair.refresh.retry',
    'pair.refresh.siblings',
    'pair.first-use.retires-ancestors',
    'pair.revoke.takes-ancestors',
    'pair.revoke.spares-siblings',
    'trouble.lost-refresh-response',
    'trouble.stale-generation',
  ],
  'random steps of several clients, people and schools have the same results as in the model',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([storySteps()], { maxCommands: 100, size: 'max' }),
        async (commands) => {
          const story = await aStory(participants)
          await fc.asyncModelRun(() => story, commands)
          await tryEverything(story.model, story.real)
        },
      ),
      { numRuns: 15 * effort, ...seed },
    )
  },
  timeout,
)
