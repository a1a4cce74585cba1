import type { School } from '../../src/domain/schools/school.ts'
import type {
  FieldProblems,
  PlannedField,
} from '../../src/surfaces/pages/admin/crud/field-rules.ts'
import type { ShownForm } from '../../src/surfaces/pages/admin/crud/form.tsx'
import type { ShownFilter } from '../../src/surfaces/pages/admin/crud/list.tsx'
import { inWords } from '../../src/surfaces/pages/admin/crud/object-table.tsx'
import { draftOf } from '../../src/surfaces/pages/admin/crud/read-form.ts'
import type { AdminResource } from '../../src/surfaces/pages/admin/crud/resource.ts'
import { OVERWRITES } from '../../src/surfaces/pages/admin/frame/changes-in-form.tsx'
import { owner, school } from './sample-people.ts'

export const place = {
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
  viewerId: '0198f3c0-0000-7000-8000-000000000001',
}

/** The frame of every admin page, for an owner at the page `here`. */
export const at = (here: string) => ({
  school,
  here,
  viewer: owner,
  developersShown: true,
  ...place,
})

/** The filters of a list whose choices need no database. */
export const filtersOf = ({ list }: AdminResource): readonly ShownFilter[] =>
  (list?.filters ?? []).map((filter) => ({
    filter,
    choices: Array.isArray(filter.choices)
      ? filter.choices
      : filter.rule.values.map((value) => [value, inWords(value)]),
    findText: filter.choices !== undefined && 'offer' in filter.choices ? '' : undefined,
  }))

/** What the forms of applications and settings know of a school that signs ID tokens. */
export const formSchool = {
  variant: 'newer',
  sealedSigningKey: { kid: 'key', sealed: Buffer.of() },
} as unknown as School

interface GivenForm {
  readonly problems?: FieldProblems
  readonly stored?: Readonly<Record<string, unknown>>
}

/** A form whose choices need no database. */
export const formOf = (
  fields: readonly PlannedField[],
  values: Readonly<Record<string, unknown>>,
  { problems = {}, stored }: GivenForm = {},
): ShownForm => {
  const draft = draftOf(fields, values, place)
  return {
    fields: fields.map((field) => ({
      field,
      typed: draft[field.name] ?? [],
      problems: problems[field.name] ?? [],
      choices: Array.isArray(field.choices) ? field.choices : [],
    })),
    problems: { fields: problems, whole: stored === undefined ? [] : [OVERWRITES] },
    hidden: {},
    stored: stored && draftOf(fields, stored, place),
    overwritten: Object.keys(stored ?? {}),
  }
}

export const id = (end: number) => `0198f3c0-0000-7000-8000-${String(end).padStart(12, '0')}`
