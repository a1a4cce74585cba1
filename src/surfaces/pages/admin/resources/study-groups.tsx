import {
  addToStudyGroup,
  changeStudyGroup,
  createStudyGroup,
  listStudyGroups,
  readStudyGroup,
  removeFromStudyGroup,
  removeStudyGroup,
} from '../../../../domain/consulting/study-group-operations.ts'
import { listCourses } from '../../../../domain/learning/course-operations.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { choicesFrom } from '../crud/choices.ts'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { moment, number, related, text } from '../crud/object-table.tsx'
import { defineResource, deleting, rowsBy } from '../crud/resource.ts'
import { classes, meetingList, roster } from './meetings.tsx'
import { members } from './people.tsx'
import { aPerson } from './people-fields.ts'

export const studyGroups = defineResource({
  path: 'study-groups',
  one: 'study group',
  many: 'Study groups',
  lead: 'Members who meet as a class. Everybody on the roster has its classes in their schedule.',
  list: listPlan({
    operation: listStudyGroups,
    columns: [
      { label: 'Name', show: text('name'), sort: 'name' },
      { label: 'Members', show: number('member_count') },
      { label: 'Upcoming classes', show: number('upcoming_class_count') },
      { label: 'Created', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Name',
    filters: [{ name: 'course_id', label: 'Course', choices: choicesFrom(listCourses, 'title') }],
    sorts: ['-created_at', 'created_at', 'name', '-name'],
  }),
  read: readStudyGroup,
  expand: ['course'],
  name: (group) => group.name,
  facts: [
    { label: 'Course', show: related('course', 'courses', 'title', '') },
    { label: 'Members', show: number('member_count') },
    { label: 'Upcoming classes', show: number('upcoming_class_count') },
    { label: 'Created', show: moment('created_at') },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'course_id', label: 'Course', choices: choicesFrom(listCourses, 'title') },
  ],
  create: createStudyGroup,
  change: changeStudyGroup,
  actions: [
    {
      path: 'add-member',
      label: 'Add a member',
      does: asking(addToStudyGroup, [aPerson('member_id', 'Email of the member', listMembers)]),
      question: 'Add a member to this group?',
      consequence: 'The classes of the group are in their schedule from then on.',
      done: 'The member is added to the group.',
    },
    {
      path: 'remove-member',
      label: 'Remove a member',
      does: asking(removeFromStudyGroup, [
        aPerson('member_id', 'Email of the member', listMembers),
      ]),
      question: 'Remove a member from this group?',
      consequence: 'The classes of the group leave their schedule, past ones too.',
      done: 'The member is removed from the group.',
      when: (group) => group.member_count !== 0,
    },
    deleting('study group', removeStudyGroup, {
      consequence: 'The group is deleted for good.',
      consequenceOfMany: 'They are deleted for good.',
    }),
  ],
  related: [
    {
      path: 'members',
      title: 'Members',
      of: members,
      rows: rowsBy('group_id', roster),
      empty: 'The group has no members yet.',
    },
    {
      path: 'classes',
      title: 'Classes',
      of: classes,
      rows: rowsBy('study_group_id', meetingList),
      add: 'New class',
      empty: 'There are no classes yet.',
    },
  ],
})
