import { createSlots } from '../../src/domain/consulting/slot-operations.ts'
import { planForm } from '../../src/surfaces/pages/admin/crud/field-rules.ts'
import { formPage } from '../../src/surfaces/pages/admin/crud/form.tsx'
import { listPage } from '../../src/surfaces/pages/admin/crud/list.tsx'
import { objectPage } from '../../src/surfaces/pages/admin/crud/object.tsx'
import { objectPath } from '../../src/surfaces/pages/admin/crud/resource.ts'
import type { Row } from '../../src/surfaces/pages/admin/crud/row.ts'
import { slots } from '../../src/surfaces/pages/admin/resources/consulting-slots.tsx'
import { meetings } from '../../src/surfaces/pages/admin/resources/meetings.tsx'
import { at, filtersOf, id, place } from './sample-admin-frame.ts'
import { hostileName } from './sample-people.ts'

const meeting: Row = {
  object: 'consulting_meeting',
  id: id(1),
  kind: 'consulting',
  service_id: id(9),
  study_group_id: null,
  held_for: 'Portfolio review',
  title: 'Portfolio review',
  state: 'available',
  // Far in the future, so that they stay future meetings.
  starts_at: '2096-11-16T04:30:00.000Z',
  ends_at: '2096-11-16T05:15:00.000Z',
  room_url: 'https://rooms.demo.test/71dd746a',
  attendee_count: 2,
  version: 3,
}
const lesson = {
  ...meeting,
  id: id(2),
  kind: 'study_group',
  title: hostileName,
  attendee_count: 12,
}
const confirmed = { ...meeting, id: id(3), title: 'Office hour', state: 'scheduled' }

const attendee = (end: number, name: string): Row => ({
  id: id(end),
  meeting_id: id(1),
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@demo.test`,
  since: '2026-11-08T07:00:00.000Z',
})

const wrong: Readonly<Record<string, readonly string[]>> = {
  start_times: ['Write a time of day such as 09:30.'],
}

export const sampleConsultingPages: Record<string, string> = {
  'admin-meetings': listPage({
    ...at('/admin/meetings'),
    title: 'Meetings',
    heading: 'Meetings',
    lead: meetings.lead,
    transfers: [],
    path: '/admin/meetings',
    query: { search: '', sort: 'starts_at', filters: { when: 'upcoming', state: '', kind: '' } },
    defaultSort: 'starts_at',
    searchable: true,
    searchHint: meetings.list?.searchHint,
    filters: filtersOf(meetings),
    sorts: meetings.list?.sorts ?? [],
    columns: meetings.list?.columns ?? [],
    rows: [meeting, lesson, confirmed],
    urlOf: (row) => objectPath(meetings, row),
    total: 77,
    next: 'cursor',
    isFirst: true,
    empty: '',
    place,
  }),
  'admin-meeting': objectPage({
    ...at(objectPath(meetings, meeting)),
    notice: 'The member is added.',
    resource: meetings,
    object: meeting,
    text: '',
    actions: [],
    related: (meetings.related ?? []).map((related) => ({
      related,
      list: related.rows.list,
      hasMore: false,
      rows: [attendee(31, 'Ada Lovelace'), attendee(32, hostileName)],
    })),
    uploads: [],
    panels: undefined,
    place,
  }),
  'admin-new-slots': formPage({
    ...at(`/admin/services/${id(9)}/slots/new`),
    title: 'Add slots',
    up: { url: `/admin/services/${id(9)}`, label: 'Portfolio review' },
    action: `/admin/services/${id(9)}/slots/new`,
    hidden: {},
    fields: planForm(createSlots, slots.fields).map((field) => ({
      field,
      typed: { weekdays: ['monday', 'friday'], start_times: ['9:30, noon'] }[field.name] ?? [],
      problems: wrong[field.name] ?? [],
      choices: field.rule.values.map((value) => [value, value] as const),
    })),
    problems: { fields: wrong, whole: [] },
    submit: 'Add slots',
    back: { url: `/admin/services/${id(9)}`, label: 'Cancel' },
  }),
}
