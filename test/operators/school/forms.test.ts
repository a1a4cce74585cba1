import { expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { anOwner } from '../../support/operator-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()

test('an owner adds questions, opens the form and closes it; the answers stay', async () => {
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  const browser = new AdminBrowser(owner)
  const { path } = await browser.done('/admin/forms/new', { title: 'How was it?' })
  expect(await browser.page(path)).toContain('Nothing is asked yet.')
  expect((await browser.force(`${path}/open`)).body).toContain('Add a question first.')

  await browser.done(`${path}/question`, {
    label: 'Your <b>course</b>',
    kind: 'text',
    required: 'on',
  })
  await browser.done(`${path}/question`, { label: 'Anything else?', kind: 'long_text' })
  const asked = await browser.page(path)
  expect(asked).toContain('Your &lt;b>course&lt;/b>')
  expect(asked).toContain('Anything else?')

  const opened = await browser.done(`${path}/open`, {})
  expect(opened.body).toContain('The form is open.')
  const form = await school.db.from('forms').selectAll().executeTakeFirstOrThrow()
  expect(form).toMatchObject({ slug: 'how-was-it', state: 'open' })
  const [first] = form.fields as unknown as { name: string; required: boolean }[]
  expect(first).toMatchObject({ label: 'Your <b>course</b>', kind: 'text', required: true })

  const answers = JSON.stringify({ [first?.name ?? '']: 'Watercolour' })
  await school.db.insert('form_submissions', { id: uuidv7(), form_id: form.id, answers }).execute()
  await browser.done(`${path}/remove-question`, { question: first?.name ?? '' })
  expect(await browser.page(path)).not.toContain('course&lt;/b>')
  const kept = await browser.force(`${path}/delete`)
  expect(kept.body).toContain('Close it instead.')
  await browser.done(`${path}/close`, {})
  expect(await browser.page(path)).toContain('Watercolour')
})
