import { expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { anOwner } from '../../support/operator-like.ts'
import { Desk } from '../../support/school-desk.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()

test('an owner adds questions, opens the form and closes it; the answers stay', async () => {
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  const desk = new Desk(owner)
  const { path } = await desk.done('/admin/forms/new', { title: 'How was it?' })
  expect(await desk.page(path)).toContain('Nothing is asked yet.')
  expect((await desk.send(`${path}/open`)).body).toContain('Add a question first.')

  await desk.done(`${path}/question`, { label: 'Your <b>course</b>', kind: 'text', required: 'on' })
  await desk.done(`${path}/question`, { label: 'Anything else?', kind: 'long_text' })
  const asked = await desk.page(path)
  expect(asked).toContain('Your &lt;b>course&lt;/b>')
  expect(asked).toContain('Anything else?')

  const opened = await desk.done(`${path}/open`, {})
  expect(opened.body).toContain('The form is open.')
  const form = await school.at.from('forms').selectAll().executeTakeFirstOrThrow()
  expect(form).toMatchObject({ slug: 'how-was-it', state: 'open' })
  const [first] = form.fields as unknown as { name: string; required: boolean }[]
  expect(first).toMatchObject({ label: 'Your <b>course</b>', kind: 'text', required: true })

  const answers = JSON.stringify({ [first?.name ?? '']: 'Watercolour' })
  await school.at.insert('form_submissions', { id: uuidv7(), form_id: form.id, answers }).execute()
  await desk.done(`${path}/remove-question`, { question: first?.name ?? '' })
  expect(await desk.page(path)).not.toContain('course&lt;/b>')
  const kept = await desk.send(`${path}/delete`)
  expect(kept.body).toContain('Close it instead.')
  await desk.done(`${path}/close`, {})
  expect(await desk.page(path)).toContain('Watercolour')
})
