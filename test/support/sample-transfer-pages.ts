import { createEnrollment } from '../../src/domain/learning/enrollment-operations.ts'
import { NO_PROBLEMS, planForm } from '../../src/surfaces/pages/admin/crud/field-rules.ts'
import { CheckedPanels, importPage } from '../../src/surfaces/pages/admin/crud/import-page.tsx'
import { objectPage } from '../../src/surfaces/pages/admin/crud/object.tsx'
import { actionsForMany, selectionPage } from '../../src/surfaces/pages/admin/crud/selection.tsx'
import { exportPage } from '../../src/surfaces/pages/admin/crud/transfers.tsx'
import { coupons } from '../../src/surfaces/pages/admin/resources/coupons.tsx'
import { jobs } from '../../src/surfaces/pages/admin/resources/jobs.tsx'
import { students } from '../../src/surfaces/pages/admin/resources/people.tsx'
import { searchPage } from '../../src/surfaces/pages/admin/resources/search.tsx'
import { at, id, place } from './sample-admin-frame.ts'
import { hostileName } from './sample-people.ts'

const back = { url: '/admin/jobs', label: 'Background work' }

const checked = {
  object: 'job',
  id: id(71),
  operation: 'imports.check',
  title: 'Check of students before an import',
  state: 'done',
  done: 500,
  total: null,
  result: {
    resource: 'students',
    rows: 500,
    created: 497,
    updated: 0,
    unchanged: 1,
    failed: 2,
    complete: true,
    invited: 497,
    errors: [],
    columns: [
      { heading: 'E-Mail', sample: 'ada@example.test', column: 'email' },
      { heading: 'Full name', sample: hostileName, column: 'name' },
      { heading: 'Shoe size', sample: '', column: '' },
    ],
  },
  problem: null,
  file_url: null,
  can_cancel: false,
  started_by: null,
  created_at: '2026-11-14T21:05:00.000Z',
  started_at: '2026-11-14T21:05:00.000Z',
  finished_at: '2026-11-14T21:05:02.000Z',
  expires_at: '2026-11-21T21:05:02.000Z',
}

const found = { object: 'coupon', id: id(81), code: 'SPRING27', percent_off: 20, amount_off: null }
const coupon = {
  ...found,
  currency: null,
  max_redemptions: 100,
  redemption_count: 7,
  ends_at: null,
  archived_at: null,
  redeemable: true,
}
const forCoupons = (wanted: string) => actionsForMany(coupons).find(({ path }) => path === wanted)
const enroll = actionsForMany(students).find(({ path }) => path === 'enroll')
const selected = {
  ...at('/admin/coupons'),
  resource: coupons,
  action: forCoupons('archive'),
  ...{ fields: [], problems: NO_PROBLEMS, isWrongNumber: false },
  path: '/admin/coupons/selected',
  back: { url: '/admin/coupons', label: 'Coupons' },
}

export const sampleTransferPages: Record<string, string> = {
  'admin-import': importPage({
    ...at('/admin/jobs'),
    path: '/admin/jobs/import',
    back,
    problem: 'Choose a file first.',
    maxBytes: 10 * 1024 * 1024,
    kinds: ['members', 'students', 'membership-plans'],
    kind: 'students',
    within: {},
    invites: true,
  }),
  'admin-import-for-one': importPage({
    ...at('/admin/jobs'),
    path: '/admin/jobs/import',
    back,
    problem: undefined,
    maxBytes: 10 * 1024 * 1024,
    kinds: ['consulting-slots'],
    kind: 'consulting-slots',
    within: { service_id: id(90) },
    invites: false,
  }),
  'admin-import-checked': objectPage({
    ...at('/admin/jobs'),
    resource: jobs,
    object: checked,
    text: '',
    actions: [],
    related: [],
    uploads: [],
    panels: CheckedPanels({ job: checked, isMine: true, formToken: 'token' }),
    place,
  }),
  'admin-import-checked-by-another': objectPage({
    ...at('/admin/jobs'),
    resource: jobs,
    object: checked,
    text: '',
    actions: [],
    related: [],
    uploads: [],
    panels: CheckedPanels({ job: checked, isMine: false, formToken: 'token' }),
    place,
  }),
  'admin-selected': selectionPage({ ...selected, objects: [coupon, { ...coupon, id: id(82) }] }),
  'admin-selected-enroll': selectionPage({
    ...selected,
    ...at('/admin/students'),
    resource: students,
    action: enroll,
    fields: planForm(createEnrollment, enroll?.does.fields ?? []).map((field) => ({
      field,
      typed: [],
      problems: [],
      choices: field.name === 'course_id' ? [[id(1), hostileName]] : [],
    })),
    objects: [
      { id: id(83), name: 'Ada Lovelace', version: 1 },
      { id: id(84), name: hostileName, version: 1 },
    ],
    path: '/admin/students/selected',
    back: { url: '/admin/students', label: 'Students' },
  }),
  'admin-selected-delete': selectionPage({
    ...selected,
    action: forCoupons('delete'),
    objects: [coupon, { ...coupon, id: id(82) }],
    isWrongNumber: true,
  }),
  'admin-selected-failed': selectionPage({
    ...selected,
    objects: [],
    ids: [id(81), id(82)],
    failed: [{ id: id(81), name: 'SPRING27', why: 'Not possible as it is now.' }],
  }),
  'admin-search': searchPage({
    ...at('/admin/search'),
    text: hostileName,
    isTooShort: false,
    groups: [
      { resource: coupons, columns: coupons.list?.columns ?? [], rows: [coupon], hasMore: true },
    ],
    place,
  }),
  'admin-export': exportPage({
    ...at('/admin/jobs'),
    path: '/admin/jobs/export',
    back,
    resource: 'students',
    only: { search: hostileName },
  }),
}
