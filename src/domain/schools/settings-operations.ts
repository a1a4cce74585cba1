import { z } from 'zod'
import { unscopedWrite } from '../operation/without-scope.ts'
import { schoolChanges } from './school-details.ts'
import { schoolChanged, writeSchool } from './write-school.ts'

export const changeSettings = unscopedWrite({
  name: 'settings.change',
  title: 'Change the settings of the school',
  summary: 'Changes the given fields, address and connections included; all others stay unchanged.',
  kind: 'change',
  input: schoolChanges,
  output: z.strictObject({ changed: z.array(z.string()) }),
  run: async (tx, _actor, changes) => ({ changed: await writeSchool(tx, changes) }),
  audit: ({ changed }) => schoolChanged(changed),
})
