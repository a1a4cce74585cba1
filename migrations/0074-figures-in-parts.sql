-- A course with very many students is counted a range of them at a time. How far the count is stays with its mark.

alter table figure_marks add column counted jsonb;
comment on column figure_marks.counted is 'null until the count of its figure begins; then what is counted so far, and where the next range begins';
