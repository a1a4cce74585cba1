import { expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { enterCode, enterPassword, switchOn } from '../support/authenticator.ts'
import { Visitor } from '../support/browser-like.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const world = await aWorld()
const PAGE = '/account/second-factor'

test('a school that gives a role to a known email does not read in its audit what happens to the account elsewhere', async () => {
  const [elsewhere, hostile] = [await world.aSchool(), await world.aSchool()]
  const attacker = await anOperator(world, hostile)
  const person = await world.aPerson()
  const { email } = person
  const given = await attacker.post('/members', { email, name: 'Mallory', roles: ['student'] })
  expect(given.statusCode).toBe(201)

  const visitor = await signedIn(world, elsewhere, person)
  const { recoveryCodes } = await switchOn(visitor)
  const again = new Visitor(world, elsewhere)
  await enterCode(again, await enterPassword(again, person), recoveryCodes[0] ?? '')
  await submit(again, PAGE, `${PAGE}/codes`)
  await submit(again, PAGE, `${PAGE}/off`)
  const changed = await submit(again, '/account/password', '/account/password', {
    current_password: PASSWORD,
    new_password: 'seven long words of a new password',
  })
  expect(changed.statusCode).toBe(303)

  const { rows } = await world.database.pool.query(
    `select school_id, action from audit_entries
     where (actor_user_id = $1 or subject = $1::text) and action ~ '^(factor|person)[.]' order by action`,
    [person.id],
  )
  expect(rows.filter(({ school_id }) => school_id === hostile.id)).toEqual([])
  const ofInstallation = rows.filter(({ school_id }) => school_id === null)
  expect(ofInstallation.map(({ action }) => action)).toEqual([
    'factor.added',
    'factor.codes_renewed',
    'factor.removed',
    'factor.used_recovery_code',
    'person.password_changed',
  ])
})
