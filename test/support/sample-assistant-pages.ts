import { ASSISTANT_IDS, ASSISTANT_SCOPES, templateOf } from '../../src/domain/clients/assistants.ts'
import { memberAssistantsPage } from '../../src/surfaces/pages/account/assistants.tsx'
import {
  assistantFields,
  assistantsPage,
  connectAssistantPage,
} from '../../src/surfaces/pages/admin/apps/assistants.tsx'
import { at, formOf, formSchool } from './sample-admin-frame.ts'
import { hostileName, owner, school, student } from './sample-people.ts'

const address = 'http://localhost:3000/mcp/member'

const offered = ASSISTANT_IDS.map((assistant, place) => ({
  assistant,
  clientId: `app-5f3c09d2e1b7a64c0${place}`,
  name: templateOf(assistant).name,
  scopes: ASSISTANT_SCOPES,
}))

const member = {
  school,
  here: '/account/assistants',
  viewer: student,
  address,
  server: 'demo',
  variant: 'newer' as const,
  hasRole: true,
  developersShown: true,
  contactEmail: 'hello@demo.test',
  offered,
}

/** Every state of the pages about assistants, by the name of its screenshot. */
export const sampleAssistantPages: Record<string, string> = {
  'admin-assistants': assistantsPage({
    ...at('/admin/developers/assistants'),
    connected: [
      ...offered.slice(0, 1).map((one) => ({ ...one, disabled: false })),
      ...offered.slice(1, 2).map((one) => ({ ...one, disabled: true })),
    ],
  }),
  'admin-connect-assistant': connectAssistantPage(
    at('/admin/developers/assistants/chatgpt'),
    'chatgpt',
    formOf(
      assistantFields(formSchool),
      { redirect_uris: templateOf('chatgpt').redirectUris(address), scopes: ASSISTANT_SCOPES },
      { problems: { name: ['Use 1 to 200 characters.'] } },
    ),
  ),
  assistants: memberAssistantsPage({
    ...member,
    offered: offered.map((one) =>
      one.assistant === 'cursor' ? { ...one, name: hostileName } : one,
    ),
  }),
  'assistants-none': memberAssistantsPage({ ...member, offered: [] }),
  'assistants-none-beta-off': memberAssistantsPage({
    ...member,
    viewer: owner,
    developersShown: false,
    offered: [],
  }),
}
