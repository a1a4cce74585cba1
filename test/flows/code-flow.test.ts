import { expect, test } from 'vitest'
import { aPair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()

test('a member signs in, consents, and the client gets, uses, refreshes and revokes its pair', async () => {
  const school = await world.aSchool()
  const client = await world.aPublicClient(school)
  const ada = await world.aMember(school)
  const pair = await aPair(world, school, client, ada)
  expect((await userinfo(world, school, pair.access_token)).json()).toMatchObject({
    sub: ada.id,
    email: ada.email,
  })
  const young = (await refresh(world, school, client, pair.refresh_token)).json()
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  expect((await userinfo(world, school, young.access_token)).statusCode).toBe(200)
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
  expect((await revoke(world, school, client, young.refresh_token)).statusCode).toBe(200)
  expect((await userinfo(world, school, young.access_token)).statusCode).toBe(401)
})
