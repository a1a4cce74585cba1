import { changeSchool, readSchool } from '../../../../../domain/schools/school-operations.ts'
import type { Choice } from '../field.ts'
import type { SettingsPage } from '../routes/settings-routes.ts'

const zones: readonly Choice[] = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [
  zone,
  zone.replaceAll('_', ' '),
])

export const details: SettingsPage<typeof readSchool, typeof changeSchool> = {
  path: '/admin/details',
  title: 'School details',
  lead: 'What your school is called, and how it counts time and money.',
  read: readSchool,
  change: changeSchool,
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'description',
      label: 'Description',
      rows: 4,
      hint: 'Shown on the home page of your school.',
    },
    {
      name: 'contact_email',
      label: 'Contact email',
      hint: 'Public: developers find it in the description of your API.',
    },
    { name: 'locale', label: 'Language', hint: 'A tag such as en or pt-BR.' },
    {
      name: 'time_zone',
      label: 'Time zone',
      kind: 'choice',
      choices: zones,
      hint: 'All times in the admin area are shown in this time zone.',
    },
    {
      name: 'currency',
      label: 'Currency',
      hint: 'Three letters, such as USD. New prices are in it; existing ones stay.',
    },
  ],
}
