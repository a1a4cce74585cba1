import type { TestPerson, World } from './world.ts'

/** Moves the last proof of a person's sessions into the past. */
export async function ageProof(world: World, { id }: TestPerson, minutes = 11): Promise<void> {
  await world.database.pool.query(
    'update browser_sessions set authenticated_at = now() - make_interval(mins => $2) where user_id = $1',
    [id, minutes],
  )
}

/** As if the person had proved a passkey in each session: the ones of many tests have no device. */
export async function proveFactor(world: World, { id }: TestPerson): Promise<void> {
  await world.database.pool.query(
    "update browser_sessions set methods = '{passkey}' where user_id = $1",
    [id],
  )
}
