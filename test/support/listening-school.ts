import { portOf } from './raw-http.ts'
import type { TestSchool, World } from './world.ts'

/**
 * A school at a real address of this machine, for clients with their own HTTP. Only one per world,
 * because the address is the origin.
 */
export async function aListeningSchool(
  world: World,
  options: Parameters<World['aSchool']>[0] = {},
): Promise<TestSchool> {
  const school = await world.aSchool(options)
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const origin = `http://127.0.0.1:${portOf(world.app.server)}`
  await world.database.db
    .updateTable('schools')
    .set({ origin })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget()
  return { ...school, origin }
}
