WITH omop_index AS (
SELECT i.person_id, i.index_date FROM (
SELECT e.person_id, MIN(CASE WHEN DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 THEN CAST(e.condition_start_date AS DATE) END) AS index_date
FROM cdm.condition_occurrence e
WHERE (e.condition_concept_id IN (201826, 4193704) OR e.condition_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (201826) AND a.descendant_concept_id IS NOT NULL)) AND NOT (e.condition_concept_id IN (4058243) OR e.condition_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (4058243) AND a.descendant_concept_id IS NOT NULL)) AND DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 AND CASE WHEN DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 THEN CAST(e.condition_start_date AS DATE) END >= DATE '2012-02-29' AND CASE WHEN DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 THEN CAST(e.condition_start_date AS DATE) END <= DATE '2020-12-31'
GROUP BY e.person_id
) i
WHERE EXISTS (SELECT 1 FROM cdm.observation_period o WHERE o.person_id = i.person_id
  AND DATEDIFF(i.index_date, CASE WHEN DAYOFMONTH(o.observation_period_start_date) > 0 AND MONTH(o.observation_period_start_date) > 0 THEN CAST(o.observation_period_start_date AS DATE) END) >= 365
  AND DATEDIFF(CASE WHEN DAYOFMONTH(o.observation_period_end_date) > 0 AND MONTH(o.observation_period_end_date) > 0 THEN CAST(o.observation_period_end_date AS DATE) END, i.index_date) >= 0)
),
omop_people AS (
SELECT p.person_id, MAX(CASE WHEN p.year_of_birth BETWEEN 1 AND 9999 THEN p.year_of_birth END) AS year_of_birth, MAX(CASE WHEN p.month_of_birth BETWEEN 1 AND 12 THEN p.month_of_birth END) AS month_of_birth, MAX(CASE WHEN p.day_of_birth BETWEEN 1 AND 31 THEN p.day_of_birth END) AS day_of_birth, MAX(p.gender_concept_id) AS gender_concept_id
FROM cdm.person p
GROUP BY p.person_id
),
omop_2 AS (
SELECT r.person_id, r.v FROM (
SELECT i.person_id, e.value_as_number AS v,
  ROW_NUMBER() OVER (PARTITION BY i.person_id ORDER BY CASE WHEN DAYOFMONTH(e.measurement_date) > 0 AND MONTH(e.measurement_date) > 0 THEN CAST(e.measurement_date AS DATE) END DESC, CASE WHEN e.measurement_datetime IS NULL THEN 1 ELSE 0 END, e.measurement_datetime DESC, e.measurement_id DESC, e.value_as_number DESC) AS place
FROM omop_index i JOIN cdm.measurement e ON e.person_id = i.person_id
WHERE (e.measurement_concept_id IN (3004410))
  AND DATEDIFF(CASE WHEN DAYOFMONTH(e.measurement_date) > 0 AND MONTH(e.measurement_date) > 0 THEN CAST(e.measurement_date AS DATE) END, i.index_date) BETWEEN -365 AND 0
  AND e.value_as_number IS NOT NULL
  AND e.unit_concept_id = 8554
) r WHERE r.place = 1
),
omop_3 AS (
SELECT i.person_id, 1 AS v
FROM omop_index i JOIN cdm.drug_exposure e ON e.person_id = i.person_id
WHERE (e.drug_concept_id IN (1503297) OR e.drug_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (1503297) AND a.descendant_concept_id IS NOT NULL))
  AND DATEDIFF(CASE WHEN DAYOFMONTH(e.drug_exposure_start_date) > 0 AND MONTH(e.drug_exposure_start_date) > 0 THEN CAST(e.drug_exposure_start_date AS DATE) END, i.index_date) BETWEEN 0 AND 90
GROUP BY i.person_id
),
omop_4 AS (
SELECT i.person_id, COUNT(*) AS v
FROM omop_index i JOIN cdm.drug_exposure e ON e.person_id = i.person_id
WHERE (e.drug_concept_id IN (1503297) OR e.drug_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (1503297) AND a.descendant_concept_id IS NOT NULL))
  AND DATEDIFF(CASE WHEN DAYOFMONTH(e.drug_exposure_start_date) > 0 AND MONTH(e.drug_exposure_start_date) > 0 THEN CAST(e.drug_exposure_start_date AS DATE) END, i.index_date) BETWEEN 0 AND 365
GROUP BY i.person_id
),
omop_5 AS (
SELECT i.person_id, MIN(DATEDIFF(CASE WHEN DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 THEN CAST(e.condition_start_date AS DATE) END, i.index_date)) AS v
FROM omop_index i JOIN cdm.condition_occurrence e ON e.person_id = i.person_id
WHERE (e.condition_concept_id IN (201826, 4193704) OR e.condition_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (201826) AND a.descendant_concept_id IS NOT NULL)) AND NOT (e.condition_concept_id IN (4058243) OR e.condition_concept_id IN (SELECT a.descendant_concept_id FROM cdm.concept_ancestor a WHERE a.ancestor_concept_id IN (4058243) AND a.descendant_concept_id IS NOT NULL))
  AND DATEDIFF(CASE WHEN DAYOFMONTH(e.condition_start_date) > 0 AND MONTH(e.condition_start_date) > 0 THEN CAST(e.condition_start_date AS DATE) END, i.index_date) BETWEEN 1 AND 365
GROUP BY i.person_id
)
SELECT EXTRACT(YEAR FROM omop_index.index_date) - omop_people.year_of_birth - CASE WHEN EXTRACT(MONTH FROM omop_index.index_date) * 100 + EXTRACT(DAY FROM omop_index.index_date) < COALESCE(omop_people.month_of_birth, 1) * 100 + COALESCE(omop_people.day_of_birth, 1) THEN 1 ELSE 0 END AS c0,
  CASE omop_people.gender_concept_id WHEN 8532 THEN 'female' WHEN 8507 THEN 'male' END AS c1,
  omop_2.v AS c2,
  COALESCE(omop_3.v, 0) AS c3,
  COALESCE(omop_4.v, 0) AS c4,
  omop_5.v AS c5,
  omop_index.person_id AS c6
FROM omop_index
JOIN omop_people ON omop_people.person_id = omop_index.person_id
LEFT JOIN omop_2 ON omop_2.person_id = omop_index.person_id
LEFT JOIN omop_3 ON omop_3.person_id = omop_index.person_id
LEFT JOIN omop_4 ON omop_4.person_id = omop_index.person_id
LEFT JOIN omop_5 ON omop_5.person_id = omop_index.person_id
