import fc from 'fast-check'
import { verifies } from '../spec/verifies.ts'
import { aWorld } from '../support/world.ts'
import { aStory, storySteps, tryEverything } from './commands.ts'
import { effort, seed, timeout } from './effort.ts'
import { aCast } from './stage.ts'

const cast = await aCast(await aWorld())

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
  'no random story of several clients, people and schools ends otherwise than in the model',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([storySteps()], { maxCommands: 100, size: 'max' }),
        async (commands) => {
          const story = await aStory(cast)
          await fc.asyncModelRun(() => story, commands)
          await tryEverything(story.model, story.real)
        },
      ),
      { numRuns: 25 * effort, ...seed },
    )
  },
  timeout,
)
