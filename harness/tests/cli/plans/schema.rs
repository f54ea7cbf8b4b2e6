//! The reader of plans against their JSON Schema.

use algorithms::internals::collectives::Collective;
use castbench::verify::json::read;
use castbench::verify::shape::Shape;
use serde_json::{Value, json};

/// Whether a value is valid by the keywords that the schema of plans uses.
fn is_valid(schema: &Value, root: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return schema == &json!(true);
    };
    let of = |schema: &Value, value: &Value| is_valid(schema, root, value);
    keywords
        .iter()
        .all(|(keyword, wanted)| match keyword.as_str() {
            "$ref" => of(root.pointer(&wanted.as_str().unwrap()[1..]).unwrap(), value),
            "type" => match wanted.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "integer" => value.is_u64() || value.is_i64(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                other => panic!("type {other}"),
            },
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => value
                .as_number()
                .is_none_or(|number| number.as_f64() >= wanted.as_f64()),
            "maximum" => value
                .as_number()
                .is_none_or(|number| number.as_f64() <= wanted.as_f64()),
            "maxItems" => value
                .as_array()
                .is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
            "uniqueItems" => value
                .as_array()
                .is_none_or(|list| (1..list.len()).all(|end| !list[..end].contains(&list[end]))),
            "items" => value
                .as_array()
                .is_none_or(|list| list.iter().all(|item| of(wanted, item))),
            "required" => value.as_object().is_none_or(|object| {
                wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|key| object.contains_key(key.as_str().unwrap()))
            }),
            "properties" => value.as_object().is_none_or(|object| {
                object
                    .iter()
                    .all(|(key, value)| wanted.get(key).is_none_or(|schema| of(schema, value)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|object| {
                object
                    .keys()
                    .all(|key| schema["properties"].get(key).is_some())
            }),
            "oneOf" => {
                wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|schema| of(schema, value))
                    .count()
                    == 1
            }
            "$schema" | "title" | "$defs" => true,
            other => panic!("keyword {other}"),
        })
}

/// Every change of one value, and every key taken away or added.
fn mutants(value: &Value) -> Vec<Value> {
    let mut all = vec![
        json!(null),
        json!(-1),
        json!(1.5),
        json!("up"),
        json!(true),
        json!([]),
        json!({}),
        json!(1),
    ];
    all.push(json!([value, value]));
    match value {
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                let changed = mutants(item).into_iter().map(|item| {
                    let mut list = list.clone();
                    list[index] = item;
                    Value::Array(list)
                });
                all.extend(changed);
            }
        }
        Value::Object(object) => {
            let keys = [
                "comment", "root", "cut", "way", "order", "combine", "tag", "blocks", "send",
                "rounds", "other",
            ];
            for key in object.keys().map(String::as_str).chain(keys) {
                let mut without = object.clone();
                let before = without.remove(key);
                let before = before.unwrap_or(json!(2));
                all.push(Value::Object(without.clone()));
                for value in mutants(&before).into_iter().chain([before.clone()]) {
                    let mut object = without.clone();
                    object.insert(key.to_owned(), value);
                    all.push(Value::Object(object));
                }
            }
        }
        _ => {}
    }
    all
}

/// What the reader takes is valid; what it refuses for its form is not. Ranks and blocks are beyond the schema.
#[test]
fn the_schema_is_that_of_the_reader() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/plans.schema.json")).unwrap();
    let operations = json!({"operations": [[{"send": 1, "tag": 2}], [{"receive": 0, "combine": true, "tag": 2}]]});
    let mut plans: Vec<(u32, Value)> = vec![(2, operations)];
    plans.extend(
        super::examples()
            .iter()
            .map(|(_, ranks, plan)| (*ranks, serde_json::from_str(plan).unwrap())),
    );
    let mut taken = 0;
    for (ranks, plan) in plans {
        let shape = Shape::new(Collective::named("allreduce").unwrap(), ranks, 0).unwrap();
        assert!(is_valid(&schema, &schema, &plan), "{plan}");
        for mutant in mutants(&plan) {
            let is_valid = is_valid(&schema, &schema, &mutant);
            match read(mutant.to_string().as_bytes(), &shape) {
                Ok(_) => {
                    taken += 1;
                    assert!(is_valid, "taken: {mutant}");
                }
                Err(reason) => assert!(
                    !is_valid || !reason.starts_with("line "),
                    "{reason}: {mutant}"
                ),
            }
        }
    }
    assert!(taken > 100, "{taken}");
}

/// What a command gets is what the schema says, on words, on profiles and with levels, under each rule of ports.
#[test]
fn the_schema_has_the_point() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/plans.schema.json")).unwrap();
    let levels = "schema = 1\nname = 'lv'\nL = '1us'\no = '1us'\ng = '1us'\nG = '80ps'\n[[level]]\nname = 'node'\nranks = 2\nL = '100ns'\no = '100ns'\ng = '100ns'\nG = '10ps'\n";
    let script = "while read -r point; do echo \"$point\" >>\"$1\"; echo '{\"algorithm\":\"broadcast-bmtree\"}'; done";
    let keys = "command = ['sh', 'mine.sh', 'points']";
    let files = [("mine.sh", script), ("lv.toml", levels), ("points", "")];
    let directory = super::directory("broadcast", keys, &files);
    let mut seen = Vec::new();
    for (machine, unit, ports) in [
        ("-L 6 -o 2 -g 4 -n 8", "word", "strict"),
        ("-L 6 -o 2 -g 4 -n 8", "word", "duplex"),
        (
            "--machine ethernet100-switched --bytes 1KiB",
            "byte",
            "duplex",
        ),
        ("--machine lv.toml --bytes 1KiB", "byte", "strict"),
    ] {
        let line = format!("mine --with mine.toml {machine} -K 4 --ports {ports}");
        super::cost(directory.path(), &line);
        let points = std::fs::read_to_string(directory.path().join("points")).unwrap();
        let last: Value = serde_json::from_str(points.lines().last().unwrap()).unwrap();
        assert!(
            is_valid(&schema["$defs"]["point"], &schema, &last),
            "{last}"
        );
        assert_eq!(
            (&last["unit"], &last["ports"]),
            (&json!(unit), &json!(ports))
        );
        seen.extend(last.as_object().unwrap().keys().cloned());
        seen.extend(last["machine"].as_object().unwrap().keys().cloned());
    }
    // No key of the schema is never sent.
    for part in ["point", "parameters"] {
        for key in schema["$defs"][part]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(key == "ranks" || seen.contains(key), "{key}");
        }
    }
}
