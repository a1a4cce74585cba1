import { changeSchool, readSchool } from '../../../../../domain/schools/school-operations.ts'
import { TIME_ZONES } from '../form/local-time.ts'
import type { SettingsPage } from '../routes/settings-routes.ts'

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
    {
      name: 'time_zone',
      label: 'Time zone',
      suggestions: TIME_ZONES,
      hint: 'Type a part of its name, such as Taipei. All times in the admin area are shown in it.',
    },
    {
      name: 'currency',
      label: 'Currency',
      kind: 'currency',
      hint: 'New prices are in it; existing ones stay.',
    },
  ],
}
