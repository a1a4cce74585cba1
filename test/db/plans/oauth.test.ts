import { expect, test } from 'vitest'
import { anOperator } from '../../support/admin-api.ts'
import { aPair, postForm, refresh, revoke, userinfo } from '../../support/client-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })

test('no statement of the authorization server reads a whole table', async () => {
  const ada = await world.aMember(school)
  const bo = await world.aMember(older)
  const [client, olderClient] = [
    await world.aPublicClient(school),
    await world.aPublicClient(older),
  ]
  const statements = await world.database.statementsOf(async () => {
    // Sign-in, consent and exchange, the lookup of the school included.
    world.context.directory.forget()
    const pair = await aPair(world, school, client, ada)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    const child = (await refresh(world, school, client, pair.refresh_token)).json()
    expect((await userinfo(world, school, child.access_token)).statusCode).toBe(200)
    expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(400)
    expect((await revoke(world, school, client, child.refresh_token)).statusCode).toBe(200)
    expect((await revoke(world, school, client, 'unknown')).statusCode).toBe(200)
    const other = await aPair(world, older, olderClient, bo)
    const fields = { client_id: olderClient.clientId, token: other.access_token }
    const told = await postForm(world, older, '/api/oauth/introspect', fields)
    expect(told.json().active).toBe(true)
    const platform = await world.app.inject({
      method: 'POST',
      url: '/api/oauth/register',
      headers: { host: new URL(school.origin).host },
      payload: { client_name: 'Claude' },
    })
    expect(platform.statusCode).toBe(201)
    await anOperator(world, school)
  })
  expect(statements.length).toBeGreaterThan(15)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
})
