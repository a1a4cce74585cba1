import { expect, test } from 'vitest'
import { aWorld } from '../../support/world.ts'
import { range, Traces } from './run.ts'

/** `npm run model` runs the others. */
test('in the first traces two servers do what the model does, while connections break and servers restart', async () => {
  const traces = await Traces.prepare(await aWorld(), 16)
  const differences: string[] = []
  await traces.run(range(0, 48), ({ trace, difference }) => {
    if (difference !== undefined) differences.push(`trace ${trace}: ${difference}`)
  })
  expect(differences).toEqual([])
})
