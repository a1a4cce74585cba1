import { formPage } from '../../src/surfaces/pages/site/forms.tsx'
import { formToken, harbor, hostileName, school, student } from './sample-people.ts'

const form = {
  id: '01981c5e-7c00-7000-8000-0000000c0001',
  slug: 'feedback',
  title: 'How was your course?',
  isOpen: true,
  oncePerMember: false,
  isAnswered: false,
  questions: [
    { name: 'course', label: 'Which course?', kind: 'text', required: true },
    { name: 'rating', label: 'How was it, from 1 to 5?', kind: 'number', required: true },
    { name: 'remarks', label: 'Anything to add?', kind: 'long_text', required: false },
    { name: 'recommend', label: 'Would you recommend it?', kind: 'yes_no', required: false },
    { name: 'email', label: 'Your email address', kind: 'email', required: false },
  ],
}
const frame = { school, here: '/forms/feedback', formToken, isMember: false }
const once = { ...form, oncePerMember: true }

export const sampleFormPages: Record<string, string> = {
  'form-to-answer': formPage({ ...frame, form }),
  'form-to-answer-problems': formPage({
    ...frame,
    form: { ...form, title: hostileName },
    typed: () => hostileName,
    problems: new Map([
      ['rating', 'Write a number, such as 4 or 2.5.'],
      ['recommend', 'Choose yes or no.'],
    ]),
  }),
  'form-to-answer-throttled': formPage({ ...frame, form, retryAfterSeconds: 900 }),
  'form-to-answer-for-members': formPage({ ...frame, school: harbor, form: once }),
  'form-to-answer-answered': formPage({
    ...frame,
    viewer: student,
    isMember: true,
    form: { ...once, isAnswered: true },
    notice: 'Thank you. Your answers were sent.',
  }),
  'form-to-answer-closed': formPage({ ...frame, form: { ...form, isOpen: false } }),
}
