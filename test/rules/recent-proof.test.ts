import { expect, test } from 'vitest'
import { activateKey, publishKey } from '../../src/domain/schools/signing-key-operations.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { countInDomain, everyOperation } from '../support/every-operation.ts'
import { PROOF_ACTS } from '../support/proof-acts.ts'

const keyring = new Keyring('a secret for tests that is long enough to be one')
const operations = [...(await everyOperation()), publishKey(keyring), activateKey(keyring)]
const asking = operations.filter(({ needsProof }) => needsProof !== undefined)

/** What a school teaches, sells, plans and writes. It opens no account, no app and no role. */
const WORK_OF_THE_SCHOOL = new Set([
  ...['analytics', 'appearance', 'comments', 'coupons', 'courses', 'curriculum'],
  ...['consulting_meetings', 'consulting_services', 'consulting_slots', 'digital_products'],
  ...['enrollments', 'event_registrations', 'events', 'files', 'forms', 'lecturers', 'lectures'],
  ...['membership_plans', 'notifications', 'orders', 'pages', 'payments', 'posts', 'progress'],
  ...['sections', 'study_groups', 'subscriptions'],
])

/** Other writes that ask for no proof, each with the reason. */
const WITHOUT_PROOF = {
  'clients.disable': 'takes access away: an attack must be stopped at once',
  'clients.end_access': 'takes access away',
  'clients.end_all_access': 'takes access away, after the name of the school was typed',
  'clients.withdraw_review': 'takes access away',
  'jobs.cancel': 'stops what was allowed before',
  'people.add': 'is for the command line',
  'people.correct_name': 'changes what the school itself typed, until the person has signed in',
  'people.invite': 'sends a mail to the mailbox of a person who has a role already',
  'people.set_password': 'is for the command line',
  'people.set_roles': 'is for the command line',
  'school.change': 'changes what is public anyway',
  'students.create': 'gives the one role that opens nothing by itself',
}

test('an operation that asks for a recent proof has a case in which an old session is refused', () => {
  // Its form has a file, which could not be kept: the form itself is not shown to an old session.
  const tried = new Set(['imports.check'])
  for (const { operation } of Object.values(PROOF_ACTS)) tried.add(operation ?? '')
  expect(asking.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
  expect(asking).toHaveLength(countInDomain('needsProof: '))
})

test('every other write is the work of the school, or has a reason here', () => {
  const others = operations.filter(
    ({ kind, name, needsProof }) =>
      kind !== 'read' &&
      needsProof === undefined &&
      !WORK_OF_THE_SCHOOL.has(name.split('.')[0] ?? ''),
  )
  expect(others.map(({ name }) => name).sort()).toEqual(Object.keys(WITHOUT_PROOF))
})
