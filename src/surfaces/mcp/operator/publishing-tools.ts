import {
  listForms,
  listSubmissions,
  readForm,
  readSubmission,
} from '../../../domain/content/form-operations.ts'
import {
  changePage,
  changePost,
  createPage,
  createPost,
  listPages,
  listPosts,
  publishPage,
  publishPost,
  readPage,
  readPost,
  removePage,
  removePost,
  unpublishPage,
  unpublishPost,
} from '../../../domain/content/writing-operations.ts'
import {
  cancelEvent,
  changeEvent,
  createEvent,
  listEvents,
  publishEvent,
  readEvent,
  removeEvent,
} from '../../../domain/events/event-operations.ts'
import {
  changeRegistration,
  createRegistration,
  listRegistrations,
  readRegistration,
} from '../../../domain/events/registration-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

export const PUBLISHING_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_events',
    title: 'Look at events',
    description: 'Events in every state, and who registered for them. Reads only.',
    changedBy: ['change_events'],
    operations: [listEvents, readEvent, listRegistrations, readRegistration],
  }),
  operationTool({
    name: 'change_events',
    title: 'Change events',
    description:
      'Creates, changes, publishes, cancels and removes events, registers members and marks them as attended. Takes effect at once, for all visitors.',
    operations: [
      createEvent,
      changeEvent,
      publishEvent,
      cancelEvent,
      removeEvent,
      createRegistration,
      changeRegistration,
    ],
  }),
  operationTool({
    name: 'read_publishing',
    title: 'Look at texts and forms',
    description: 'Posts and pages, drafts included, and forms with what was submitted. Reads only.',
    changedBy: ['change_publishing'],
    operations: [
      listPosts,
      readPost,
      listPages,
      readPage,
      listForms,
      readForm,
      listSubmissions,
      readSubmission,
    ],
  }),
  operationTool({
    name: 'change_publishing',
    title: 'Change texts',
    description:
      'Writes, changes, publishes, unpublishes and removes posts and pages. Published texts are public at once; removed texts cannot be restored.',
    operations: [
      createPost,
      changePost,
      publishPost,
      unpublishPost,
      removePost,
      createPage,
      changePage,
      publishPage,
      unpublishPage,
      removePage,
    ],
  }),
]
